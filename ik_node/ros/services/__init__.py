"""Services of the node: inverse kinematics on request, and interactive markers."""
