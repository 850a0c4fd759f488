"""Collisions: the shapes of a robot and of obstacles, their distances and contacts.

It computes where what touches what at joint values; the search for others is in `solvers`.
"""

from ik_node.collision.contact import Contact
from ik_node.collision.model import CollisionModel
from ik_node.collision.obstacle_file import read_obstacles
from ik_node.collision.obstacles import Ground, Obstacle, PointCloud
from ik_node.model.geometry import Box, Capsule, Cylinder, Mesh, Sphere

__all__ = ['Box', 'Capsule', 'CollisionModel', 'Contact', 'Cylinder', 'Ground', 'Mesh', 'Obstacle',
           'PointCloud', 'Sphere', 'read_obstacles']
