"""Outputs of the node: joint states, status, diagnostics, trajectories and markers."""
