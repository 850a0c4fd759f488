"""Motions of an arm: paths, limits, time scaling and trajectories."""
