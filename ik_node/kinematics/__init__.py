"""Forward kinematics and Jacobians: kernels over flat arrays, no classes with behaviour."""
