"""Services of the node: commands, inverse kinematics on request, and interactive markers."""
