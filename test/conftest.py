"""Keeps the tests' messages on this machine, and apart from other graphs on it."""

import os

os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['ROS_DOMAIN_ID'] = str(1 + os.getpid() % 100)
