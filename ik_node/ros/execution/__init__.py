"""Execution of goals: solving, and motion."""
