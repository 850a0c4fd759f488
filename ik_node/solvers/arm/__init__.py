"""The base of the solvers of an arm, and self-motions."""
