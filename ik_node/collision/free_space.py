"""The configurations of a robot without contact, for searches of kernels."""

from typing import Any

from ik_node.collision.scene import Scene, Touch
from ik_node.collision.world import World


class FreeSpace:
    """A scene, and what is around it; both may be replaced at any time, together.

    `margin`: how far apart things must be, m.
    """

    def __init__(self, scene: Scene, world: World, margin: float) -> None:
        """Begin with a scene and a world."""
        self.state: Any = (scene, world)
        self.margin = margin

    def replace(self, scene: Scene, world: World) -> None:
        """Use others from the next search on."""
        self.state = (scene, world)

    def take(self) -> Touch:
        """Return what checks configurations, for one thread, until it calls `leave`."""
        scene, world = self.state
        touch = scene.touch()
        touch.world, touch.margin = world, self.margin
        return touch
