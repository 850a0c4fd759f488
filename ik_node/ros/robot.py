"""The robot as the node holds it: a tree, its arms, and the present joint values. Without ROS."""

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ik_node.bounds import MAX_JOINTS
from ik_node.exceptions import ModelError, OptionError, UnsupportedError
from ik_node.kinematics.reach import reach
from ik_node.model.chain import Chain
from ik_node.model.tree import KinematicTree
from ik_node.model.urdf import read_urdf_text
from ik_node.motion.limits import motion_limits
from ik_node.motion.pose_library import PoseLibrary
from ik_node.motion.ruckig_profile import ruckig_module
from ik_node.ros.options import CARTESIAN, JOINT, JUMP, ArmOptions, ModelOptions
from ik_node.solvers.base import Solver
from ik_node.solvers.goal import Goal
from ik_node.solvers.registry import make_solver
from ik_node.solvers.search import nearest_turn
from ik_node.spatial import inverse
from ik_node.workspace.task_rank import task_rank

if TYPE_CHECKING:
    from ik_node.motion.following import Follower

AUTO = 'auto'  # task_weights: what the arm can serve


class Arm:
    """One chain of the robot, its solver, and how it is asked.

    Attributes:
    - `name`, `options`, `chain`, `solver`.
    - `start`: (n,) joint values at the start, rad or m.
    - `task_weights`: (6,) what a goal asks for; `weights`: the same, None for all of it.
    - `reach`: how far the tip gets, m.
    - `limits`: of motion; `follower`: of ways of the tip, None where it goes on none.
    """

    def __init__(self, name: str, tree: KinematicTree, options: ArmOptions,
                 solver_options: Mapping[str, Any], poses: PoseLibrary | None = None,
                 motion: str = JUMP) -> None:
        """Build the chain and the solver. Raises IkError where the options do not fit the tree.

        solver_options: of the chosen solver. poses: those that a start pose may name. motion: how
        the arm is to move, and so what it needs.
        """
        self.name = name
        self.options = options
        self.chain: Chain = tree.chain(options.base_link or None, options.tip_link or None)
        if self.chain.n_joints > MAX_JOINTS:
            raise ModelError(f'the arm from {self.chain.base_link!r} to {self.chain.tip_link!r} '
                             f'has {self.chain.n_joints} joints; at most {MAX_JOINTS} are allowed')
        self.solver: Solver = make_solver(options.solver, self.chain, **solver_options)
        self.start = self._start(poses)
        self.task_weights = self._task_weights()
        self.weights = None if (self.task_weights == 1.0).all() else self.task_weights
        self.reach = reach(self.chain.arrays)[1]
        self.limits = motion_limits(self.chain, options.velocity_limits,
                                    options.acceleration_limits, options.jerk_limits, options.speed)
        self.follower = self._make_follower() if motion == CARTESIAN else None
        if motion == JOINT:
            ruckig_module()

    @property
    def family(self) -> str:
        """What closed form the solver has found, in words; '' where it looks for none."""
        return getattr(self.solver, 'family', '')

    def compiled(self) -> bool:
        """Tell whether nothing is left to compile that takes long."""
        return self.solver.compiled() and (self.follower is None or self.follower.compiled())

    def warm_up(self) -> None:
        """Compile what the arm needs."""
        self.solver.warm_up(self.start)
        if self.follower is not None:
            self.follower.warm_up(self.start)

    def _make_follower(self) -> 'Follower':
        # Its splines are scipy's, which take a third of the node's start to import.
        from ik_node.motion.following import Follower
        return Follower(self.solver)

    def branches(self, goal: Goal, posture: np.ndarray) -> np.ndarray:
        """Return every branch (k, n) that meets a goal inside the limits, rad or m.

        Each by whole turns nearest the posture (n,), and the nearest branch first. Raises
        UnsupportedError where the solver, or the goal, has none to list.
        """
        if not hasattr(self.solver, 'solve_all'):
            raise UnsupportedError(f'{self.solver.name} lists no branches; analytic and auto do')
        found: np.ndarray = self.solver.solve_all(goal)
        for q in found:
            nearest_turn(self.solver.chain.arrays, posture, q)
        weights = self.solver.options.joint_weights
        apart = np.square(found - posture) @ (
            np.ones(len(posture)) if weights is None else weights)
        return found[np.argsort(apart, kind='stable')]

    def _task_weights(self) -> np.ndarray:
        weights = self.options.task_weights
        if isinstance(weights, str):
            if weights != AUTO:
                raise OptionError(f'task_weights must be six numbers or {AUTO!r}, not {weights!r}')
            return task_rank(self.chain).weights
        return np.array(weights)

    def _start(self, poses: PoseLibrary | None) -> np.ndarray:
        start, n = self.options.start_pose, self.chain.n_joints
        if start is None:
            return self.chain.neutral()
        if isinstance(start, str):
            if poses is None:
                raise OptionError(f'start_pose {start!r} is a name, and the parameter poses says '
                                  'no file that has it')
            return poses.posture(start, self.chain)
        if len(start) != n:
            raise OptionError(f'start_pose must have {n} entries, one for each of '
                              f'{", ".join(self.chain.joint_names)}, not {len(start)}')
        outside = (start < self.chain.lower) | (start > self.chain.upper)
        if outside.any():
            i = int(np.argmax(outside))
            raise OptionError(f'start_pose: {start[i]:g} is outside the limits '
                              f'{self.chain.lower[i]:g} to {self.chain.upper[i]:g} of joint '
                              f'{self.chain.joint_names[i]!r}')
        return start


class Robot:
    """A tree, its arms by name, and the value of every moving joint.

    - `tells_velocities`: whether joints have velocities; where they jump they have none.
    """

    def __init__(self, tree: KinematicTree, arms: Mapping[str, Arm],
                 poses: PoseLibrary | None = None, previous: 'Robot | None' = None) -> None:
        """Stand the robot at its start pose, or where a previous one with the same joints was."""
        self.tree = tree
        self.arms = dict(arms)
        self.poses = poses
        self.tells_velocities = False
        self._values: dict[str, float] = {}
        self._velocities: dict[str, float] = {}
        self._drives = [(joint.name, *tree.drives[joint.name])
                        for joint in tree.joints.values() if joint.moves]
        self.reset()
        if previous is not None:
            self._values.update({name: min(max(value, tree.joints[name].lower),
                                           tree.joints[name].upper)
                                 for name, value in previous._values.items()
                                 if name in self._values})

    def warm_up(self) -> None:
        """Compile what the arms' solvers need, so that no goal waits for it."""
        for arm in self.arms.values():
            arm.warm_up()

    def reset(self) -> None:
        """Stand at the start pose: zero, or the limit nearest to it, where none was given."""
        self._values = {
            joint.name: min(max(0.0, joint.lower), joint.upper)
            for joint in self.tree.joints.values() if joint.moves and joint.mimic is None}
        self._velocities = {}
        for arm in self.arms.values():
            self.move(arm, arm.start)

    def move(self, arm: Arm, q: np.ndarray, velocity: np.ndarray | None = None) -> None:
        """Set the joints of an arm to q (n,), rad or m, and their velocities (n,), per s."""
        self._values.update(zip(arm.chain.joint_names, q.tolist()))
        v = np.zeros(len(q)) if velocity is None else velocity
        self._velocities.update(zip(arm.chain.joint_names, v.tolist()))

    def standing(self, values: Mapping[str, float]) -> 'Robot':
        """Return the same robot with other values of some joints, rad or m; this one stays.

        What has no value of its own, as joints that follow others, is left out.
        """
        other = copy.copy(self)
        other._values = {name: values.get(name, value) for name, value in self._values.items()}
        other._velocities = dict(self._velocities)
        return other

    def posture(self, arm: Arm) -> np.ndarray:
        """Return the present joint values (n,) of an arm."""
        return np.array([self._values[name] for name in arm.chain.joint_names])

    def joint_values(self) -> dict[str, float]:
        """Return the value of every moving joint, mimics too, in the order of the tree."""
        values = self._values
        return {name: multiplier * values[source] + offset
                for name, source, multiplier, offset in self._drives}

    def joint_velocities(self) -> dict[str, float] | None:
        """Return the velocity of every moving joint, in the same order; None where joints jump."""
        if not self.tells_velocities:
            return None
        return {name: multiplier * self._velocities.get(source, 0.0)
                for name, source, multiplier, _ in self._drives}

    def in_base(self, arm: Arm, link: str) -> np.ndarray:
        """Return T_base_link (4, 4), m, of any link, seen from an arm's base, as the robot is."""
        T_root = self.tree.forward(self._values)
        return inverse(T_root[arm.chain.base_link]) @ T_root[link]


def same_chain(chain: Chain, other: Chain) -> bool:
    """Tell whether two chains are the same links of the same tree, whatever solves for them."""
    return chain.tree is other.tree and chain.links == other.links


def read_tree(options: ModelOptions, topic_text: str | None) -> KinematicTree | None:
    """Return the tree from the first source there is; None where it is still to come by topic.

    Raises ModelError.
    """
    hold = options.hold_complex_joints
    if options.robot_description:
        return read_urdf_text(options.robot_description, hold)
    if options.urdf_path:
        return KinematicTree.from_urdf(options.urdf_path, _xacro_args(options.xacro_args or ()),
                                       hold_complex_joints=hold)
    if options.dh_path:
        return KinematicTree.from_dh(options.dh_path)
    return None if topic_text is None else read_urdf_text(topic_text, hold)


def _xacro_args(pairs: tuple[str, ...]) -> dict[str, str]:
    split = [pair.partition(':=') for pair in pairs]
    for pair, (name, separator, _) in zip(pairs, split):
        if not separator or not name:
            raise ModelError(f'xacro_args must be like name:=value, not {pair!r}')
    return {name: value for name, _, value in split}
