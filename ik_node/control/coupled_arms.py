"""Arms that share joints: one body with a pose task for each tip, solved together."""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from ik_node.control.group_source import configured_start, own_limits
from ik_node.control.options import BODY_SOLVERS, COUPLED_SOLVERS, NO_OUTPUT, ArmOptions
from ik_node.control.task_group import TaskGroup
from ik_node.model.chain import Chain
from ik_node.model.joint_space import check_inside
from ik_node.motion.limits import MotionLimits
from ik_node.support.exceptions import OptionError, names
from ik_node.tasks import Task


def coupled(chains: Mapping[str, Chain]) -> tuple[str, ...]:
    """Return the names of the chains that share joints with another one, in their order."""
    return tuple(name for name, chain in chains.items() if any(
        not set(chain.joint_names).isdisjoint(other.joint_names)
        for other_name, other in chains.items() if other_name != name))


def coupled_options(arms: Mapping[str, ArmOptions]) -> ArmOptions:
    """Return the options that arms which share joints have in common: solver and topic.

    Those that some of them name apply to all. Raises OptionError for different ones.
    """
    together = f'the arms {names(arms)} share joints and are solved together'
    for name, options in arms.items():
        if options.solver not in COUPLED_SOLVERS:
            raise OptionError(f'{name}.solver must be one of {names(COUPLED_SOLVERS)}, not '
                              f'{options.solver!r}: {together}')
    chosen = {f'{name}.solver': options.solver for name, options in arms.items()
              if options.solver in BODY_SOLVERS}
    outputs = {f'{name}.output_topic': ' on '.join(options.command_output)
               for name, options in arms.items() if options.command_output[1]}
    for values in (chosen, outputs):
        if len(set(values.values())) > 1:
            raise OptionError(f'{names(values)} must be the same, not {names(values.values())}: '
                              f'{together}')
    first = next(iter(arms.values()))
    kind, topic = next((options.command_output for options in arms.values()
                        if options.command_output[1]), (NO_OUTPUT, ''))
    return dataclasses.replace(first, solver=next(iter(chosen.values()), 'least_squares'),
                               output=kind, output_topic=topic, trajectory_topic='')


class CoupledArms(TaskGroup):
    """The tips of arms that share joints, as tasks of one body that has their joints.

    A goal of one arm leaves the targets of the others as they are: their last goals, or where their
    tips were. Goals are in the frames of the base links, which none of the arms may move.
    """

    status_key = 'arm'

    @property
    def solver_parameters(self) -> tuple[str, ...]:
        return tuple(f'{name}.solver' for name in self.source.arms)

    @cached_property
    def chains(self) -> dict[str, Chain]:
        """The chain of each arm."""
        tree = self.source.tree
        return {name: options.chain(tree) for name, options in self.source.arms.items()}

    def joints_of(self, task: str) -> Sequence[str]:
        return self.chains[task].joint_names

    def _joints(self) -> Sequence[str]:
        return list(dict.fromkeys(
            name for chain in self.chains.values() for name in chain.joint_names))

    def _make_tasks(self, previous: TaskGroup | None) -> dict[str, Task]:
        """Return the pose of each tip. Raises OptionError for a base link that moves."""
        tree = self.source.tree
        for name, chain in self.chains.items():
            moving = [joint.name for joint in tree.path(tree.root, chain.base_link) if joint.moves]
            if moving:
                raise OptionError(f'{name}.base_link must be a link that no joint moves, as the '
                                  f'arms {names(self.chains)} share joints, not '
                                  f'{chain.base_link!r}, which is moved by {names(moving)}')
        return {name: self._tip_task(name, options, previous)
                for name, options in self.source.arms.items()}

    def _start(self) -> np.ndarray:
        """Return the start pose (n,). Raises OptionError where those of the arms differ."""
        found: dict[str, tuple[float, str]] = {}
        for name, options in self.source.arms.items():
            if options.start_pose is None:
                continue
            chain = self.chains[name]
            start = configured_start(options, chain, self.source.poses, chain.neutral())
            for joint, value in zip(chain.joint_names, start.tolist()):
                other, of = found.setdefault(joint, (value, name))
                if other != value:
                    raise OptionError(f'{of}.start_pose and {name}.start_pose must have the same '
                                      f'value of joint {joint!r}, not {other:g} and {value:g}')
        q = self.body.neutral()
        for k, joint in enumerate(self.body.joint_names):
            q[k] = found.get(joint, (q[k], ''))[0]
        return check_inside(self.body, q[None], lambda _: 'start_pose', OptionError)[0]

    def _own_limits(self) -> MotionLimits:
        """Return the lowest limits of the arms for each joint."""
        lowest = np.full((3, self.body.n_joints), np.inf)
        for name, options in self.source.arms.items():
            chain = self.chains[name]
            own = own_limits(options, chain)
            columns = [self.body.joint_names.index(joint) for joint in chain.joint_names]
            lowest[:, columns] = np.minimum(
                lowest[:, columns], (own.velocity, own.acceleration, own.jerk))
        return MotionLimits(self.body.lower, self.body.upper, *lowest)
