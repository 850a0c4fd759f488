"""Outputs of the node: joint states, status, diagnostics, branches and markers."""
