"""Inputs of the node: parameters, goals, frames and measured joint states."""
