"""The arms of a robot under control: options, solvers and joint values. Without ROS."""
