"""Handles in RViz: dragging one sends goals, and its menu sets the node up."""
