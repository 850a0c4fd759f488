"""Demonstration: a node follows goals on a path that any arm can follow; pictures of it."""
