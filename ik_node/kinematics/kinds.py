"""Kinds of joints: how a joint's value moves it.

A spherical joint by exponential map consists of three joints whose values form a rotation vector:
the first two do not move, the last rotates.
"""

REVOLUTE, PRISMATIC, SPHERICAL_X, SPHERICAL_Y, SPHERICAL_Z = range(5)
