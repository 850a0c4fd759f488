"""Inverse kinematics as minimisation of the pose error inside the limits."""
