"""Collision models of groups: obstacles, and pairs of links that may touch."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ik_node.collision.model import CollisionModel
from ik_node.collision.obstacle_file import read_obstacles
from ik_node.collision.obstacles import Obstacle
from ik_node.collision.shapes import Shapes
from ik_node.control.options import ModelOptions
from ik_node.model.geometry import Mesh
from ik_node.model.srdf import read_disabled_collisions
from ik_node.model.tree import KinematicTree
from ik_node.support.arguments import one_of
from ik_node.support.exceptions import IkError


class CollisionWorld(NamedTuple):
    """The obstacles at some time.

    - `obstacles`: in the frame of the root link, in the world where the root moves, or on links.
    - `stamp`: of the newest message that changed them, ns of ROS time; 0 for none.
    - `number`: larger for newer ones.
    """

    obstacles: tuple[Obstacle, ...] = ()
    stamp: int = 0
    number: int = 0


@dataclass(eq=False)
class GroupCollisions:
    """The collision model of groups with the same solver; `lock` is held by who changes it."""

    model: CollisionModel | None = None
    world: CollisionWorld = CollisionWorld()
    lock: Any = field(default_factory=threading.RLock)


def place_others(model: CollisionModel, values: Mapping[str, float]) -> None:
    """Set the joints that are not in q, rad or m, in a model; obstacles stay in the world."""
    if any(values[name] != value for name, value in model.others.items()):
        model.place_others({name: values[name] for name in model.others})


def configured_obstacles(options: ModelOptions, tree: KinematicTree) -> tuple[Obstacle, ...]:
    """Return the obstacles of the parameter obstacles_path.

    Raises ModelError for a file, or a mesh, that cannot be read, and for an unknown link.
    """
    if not options.obstacles_path:
        return ()
    obstacles, shapes = read_obstacles(options.obstacles_path), Shapes(tree.source_path)
    with shapes.reading():
        for one in obstacles:
            if one.link is not None:
                one_of(one.link, tree.links, 'link', where=f'obstacle {one.name!r}: ')
            if isinstance(one.shape, Mesh):
                shapes.pieces(one.shape, one.pose)
    return obstacles


def disabled_pairs(options: ModelOptions,
                   tree: KinematicTree) -> tuple[tuple[tuple[str, str], ...], str]:
    """Return the pairs of links that may touch, by an SRDF or an MJCF, and a warning, '' for none.

    Raises ModelError where the file of the parameter srdf_path cannot be read; one that is only
    found beside the robot is then left out, with the warning.
    """
    if options.srdf_path:
        return tuple(read_disabled_collisions(options.srdf_path, tree)), ''
    robot = None if tree.source_path is None else Path(tree.source_path)
    try:
        if robot is not None and ((beside := robot.with_suffix('.srdf')).is_file() or (
                beside := robot).suffix in ('.xml', '.mjcf')):
            return tuple(read_disabled_collisions(beside, tree)), ''
    except (IkError, OSError) as error:
        return (), f'links that may touch are not known: {error}'
    return (), ''
