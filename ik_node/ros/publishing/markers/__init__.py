"""Markers of the robot for RViz: goals and targets, and the state of each group."""
