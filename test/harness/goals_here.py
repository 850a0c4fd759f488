"""The goals of a node, executed at once, without a node, without tf2 and without threads."""

from types import SimpleNamespace

from harness.goal_runs import run
from ik_node.control.options import NodeOptions
from ik_node.ros.execution.execution import History
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.goals import Goals


class GoalsHere(Goals):
    """Accepts goals for one controller; keeps outcomes and refusals."""

    def __init__(self, robot, options, controller, worker=None):
        self.outcomes, self.refused = [], []
        self.outputs = SimpleNamespace(joint_states=lambda robot: None)
        configuration = SimpleNamespace(options=options, robot=robot, arm_names=())
        execution = SimpleNamespace(
            controllers={controller.group.name: controller}, follow=lambda robot: None)
        timer = SimpleNamespace(cancel=lambda: None)
        node = SimpleNamespace(create_subscription=lambda *_, **__: None, destroy_subscription=int,
                               create_timer=lambda *_, **__: timer)
        super().__init__(node, configuration, execution, self, SimpleNamespace(topic=''),
                         frames_here(options), worker or self, None, None)
        self._subscriptions.clear()  # from which newer messages would be taken
        self.active = True

    def begin(self, key, goal):
        run(goal)

    def publish(self, controller, outcome, arrival, stamp):
        self.outcomes.append(outcome)

    def refuse(self, arrival, error):
        self.refused.append((arrival.name, str(error)))


def frames_here(options=None):
    """Return the frames of a node without ROS and tf2."""
    frames = Frames.__new__(Frames)
    frames._buffer, frames.missing = None, 'there is no tf2'
    frames._execution = SimpleNamespace(history=History(), follow=lambda robot: None)
    frames._configuration = SimpleNamespace(options=options or NodeOptions())
    return frames
