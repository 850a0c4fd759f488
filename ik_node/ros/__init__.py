"""The ROS 2 node: an adapter between messages and solvers. Only this package imports rclpy."""
