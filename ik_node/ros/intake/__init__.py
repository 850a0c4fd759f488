"""Inputs of the node: goals, paths, their frames, obstacles and measured joint states."""
