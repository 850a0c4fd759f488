"""What solvers of an arm share."""
