"""Refinement of branches on the true arm, by Newton's method."""
