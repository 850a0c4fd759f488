"""Obstacles as shapes for the kernels: around a robot, and on its links."""

from typing import Any

import numpy as np

from ik_node.collision.obstacles import Ground, Obstacle, PointCloud
from ik_node.collision.robot import LinkPiece, RobotShapes
from ik_node.collision.shapes import Piece, convex_of, poses_of
from ik_node.collision.world import World
from ik_node.model.geometry import Sphere


def attached(robot: RobotShapes, obstacle: Obstacle) -> list[LinkPiece]:
    """Return the pieces of an obstacle on a link."""
    return [robot.on_link(obstacle.link or '', piece, obstacle.name, obstacle.touches)
            for piece in robot.shapes.pieces(obstacle.shape, obstacle.pose)]


def world_of(robot: RobotShapes, obstacles: list[Obstacle],
             T: np.ndarray) -> tuple[World, list[tuple[Any, Piece]]]:
    """Return the shapes of obstacles that are not attached, and their names in that order.

    T: (4, 4) the frame of their poses in that of the root link, m.
    """
    things: list[tuple[Any, Piece]] = []
    planes: list[tuple[Any, Piece]] = []
    balls: list[tuple[Any, Piece]] = []
    clouds = []
    for one in obstacles:
        if isinstance(one.shape, PointCloud):
            clouds.append(poses_of(one.shape, one.pose))
            balls += [(one.name, Piece(convex_of(Sphere(one.shape.radius)), one.pose))] * len(
                one.shape.points)
        else:
            kind = planes if isinstance(one.shape, Ground) else things
            for piece in robot.shapes.pieces(one.shape, one.pose):
                kind.append((one.name, piece))
    poses, at = (T @ np.array([piece.placement for _, piece in some]).reshape(-1, 4, 4)
                 for some in (things, planes))
    things += balls
    world = World([piece.convex for _, piece in things], np.concatenate(
        [poses, *(T @ cloud for cloud in clouds)]), [piece.convex for _, piece in planes], at)
    return world, [*(things[k] for k in world.order), *planes]
