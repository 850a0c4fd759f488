"""Whole paths: one configuration for each pose, chosen for the path as a whole."""
