"""Controllers of the robot, clock and history of its motions, and published trajectories."""
