"""Inverse kinematics by example: joint configurations like those of a motion or a library."""
