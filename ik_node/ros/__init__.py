"""The ROS 2 node: a thin adapter between messages and solvers. Only here rclpy is imported."""
