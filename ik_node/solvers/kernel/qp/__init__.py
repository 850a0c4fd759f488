"""Quadratic programs in levels of priority."""
