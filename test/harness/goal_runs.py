"""Executes goals at once, without a worker and without threads."""

from ik_node.control.controller import Controller
from ik_node.control.worker import NOTHING, Worker, ended


def controller(robot):
    """Return a controller of the robot's figure whose time stands and whose motions nobody gets."""
    return Controller(robot, robot.groups[''], lambda: 0.0, None)


class WorkerHere(Worker):
    """Runs every search where the goal arrived: the time of a test passes where the test says."""

    def _search_in_thread(self, group, work):
        self._proceed(group, ended(work))


def run(goal):
    """Execute a goal to its end, its searches in the calling thread; return its outcome."""
    end = NOTHING
    try:
        while True:
            work = goal.send(end.result) if end.error is None else goal.throw(end.error)
            end = NOTHING if work is None else ended(work)
    except StopIteration as stopped:
        return stopped.value
