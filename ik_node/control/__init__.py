"""The node without ROS: groups of joints with their tasks and solver, controllers, a worker.

No messages, no topics, no clock of ROS.
"""
