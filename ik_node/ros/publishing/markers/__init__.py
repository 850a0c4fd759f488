"""Markers of the arms for RViz, in the frame of an arm's base."""
