"""Joint values that are weighed against other tasks."""

from ik_node.tasks import Posture


class JointValues(Posture):
    """Joint values that are weighed against tasks of links, instead of giving way to them all.

    For solvers in which a `Posture` acts only in what the other tasks leave free. With a priority
    of 2 or more success does not need it.
    """

    @property
    def counts(self) -> bool:
        """Whether it is solved along with tasks that have to be met: always."""
        return True
