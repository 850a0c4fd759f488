"""Keeps the tests' messages on this machine, and apart from other graphs on it."""

import os

from domains import Domain

DOMAIN = Domain()
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['ROS_DOMAIN_ID'] = str(DOMAIN.id)
