"""The solvers: a goal in, joint values out. They know chains and arrays, never XML or ROS."""
