"""Equations of two or three joints, and the elimination for six."""
