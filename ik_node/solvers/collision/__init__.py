"""Configurations and steps that avoid collisions."""
