"""The ROS 2 node: intake, execution and publishing around controllers, services and clients.

Only this package imports rclpy, and it solves nothing itself.
"""
