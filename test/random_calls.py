"""Calls of every public function and method with good and hostile arguments, drawn from a seed.

The callables are found by introspection, so that new methods and parameters are drawn as well: a
parameter whose name is not known here gets hostile values only.
"""

import contextlib
import inspect
import pickle
import warnings
from types import FunctionType

import numpy as np

import ik_node
from call_objects import QUICK, Objects, check_result
from hostile_values import EXTREMES, HOSTILE
from ik_node import Goal, IkError, KinematicTree, plugins, tasks
from ik_node.collision import CollisionModel, Ground, Obstacle, PointCloud
from ik_node.mocap import key_poses
from ik_node.model import pose_library
from ik_node.model.geometry import Box, Collision, Visual
from ik_node.model.joints import ComplexJoint, Joint, Mimic
from ik_node.model.parts import Inertial
from ik_node.motion import interpolation, limits
from ik_node.solvers.arm import self_motion
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.body.base import BodySolver
from ik_node.solvers.registry import (
    body_solver_class,
    body_solver_names,
    built_in_names,
    solver_class,
)
from ik_node.workspace import task_rank, voxels

# Takes what the package has checked already, or is made by the package alone.
INTERNAL = {'of', 'nearest_end', 'straight', 'centres', 'numbers', 'neighbours',
            'compiled', 'mro', 'register', 'as_pose', 'rows', 'evaluate', 'energy', 'check',
            'target_in', 'target_from', 'read_target', 'drawing', 'self_motions',
            'wanted'}
_KEPT = 12  # goals and tasks that calls have made, to be used by others


class Calls(Objects):
    """What is called, and what is drawn for every parameter.

    - `names`: of all callables, to see what is covered.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.functions = self._functions()
        # Every callable as often as any other, however many objects have it.
        self.by_name: dict[str, list] = {}
        for name, function in self.functions:
            self.by_name.setdefault(name, []).append(function)
        self.names = sorted(self.by_name)

    def one(self) -> tuple[str, str, Exception | None]:
        """Make one call. Return what was called, its arguments, and what it raised, if it did."""
        name = self.names[self.rng.integers(len(self.names))]
        function = self._any(self.by_name[name])
        owner = getattr(function, '__self__', None)
        with np.errstate(all='ignore'):  # extremes in fewer digits
            arguments, options = self._arguments(function, owner)
        said = f'{name}({_said(arguments)}, {_said(options)}) of {_said(owner)}'
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                value = function(*arguments, **options)
                check_result(value, name, owner)
                self._use(value)
        except Exception as error:
            return name, said, error
        return name, said, None

    def _functions(self) -> list:
        found = []
        for name in ik_node.__all__:
            public = getattr(ik_node, name)
            if isinstance(public, FunctionType):
                found.append((name, public))
        classes = [CollisionModel, Ground, Obstacle, PointCloud,
                   KinematicTree, Goal, Inertial, Collision, Visual, ComplexJoint, Joint, Mimic,
                   key_poses.KeyConfigurations, key_poses.KeyPoses, key_poses.Schedule,
                   pose_library.PoseLibrary, ik_node.Chain,
                   *(getattr(tasks, name) for name in tasks.__all__ if name != 'Task')]
        found += [(name, member) for name, member in vars(plugins).items()
                  if isinstance(member, FunctionType) and member.__module__ == plugins.__name__]
        found += [(kind.__name__, kind) for kind in classes]
        found += [(f'{kind.__name__}.{name}', getattr(kind, name)) for kind in (
            *classes, voxels.Voxels) for name, member in vars(kind).items()
            if isinstance(member, classmethod) and _public(name)]
        for module in (interpolation, limits, pose_library, self_motion, task_rank):
            found += [(name, member) for name, member in vars(module).items() if _public(name)
                      and isinstance(member, FunctionType)
                      and member.__module__ == module.__name__]
        for one in self.objects:
            kind = ('Solver' if one in self.solvers else
                    'BodySolver' if one in self.body_solvers else type(one).__name__)
            found += [(f'{kind}.{name}', getattr(one, name)) for name in dir(type(one))
                      if _public(name) and callable(getattr(type(one), name))
                      and getattr(getattr(type(one), name), '__module__', '').startswith('ik_node')]
        return found

    def _arguments(self, function, owner) -> tuple[list, dict]:
        arguments, options = [], {}
        chain = owner if owner in self.chains else getattr(owner, 'chain', None)
        body = owner if owner in self.bodies else getattr(owner, 'body', None)
        if body in self.bodies:  # the chains have all joints of their trees
            chain = self.chains[self.trees.index(body.tree)]
        chain = chain if isinstance(chain, ik_node.Chain) else self._any(self.chains)
        # Mostly one bad argument among good ones: of many the first alone would be looked at.
        bad_ones = self.rng.choice([0.1, 0.3, 0.9])
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                options.update(self._options(arguments, chain, bad_ones))
            elif parameter.kind is parameter.VAR_POSITIONAL:
                continue
            elif parameter.default is parameter.empty or self.rng.random() < 0.6:
                bad = self.rng.random() < bad_ones
                value = self._any(HOSTILE) if bad else self._good(parameter.name, chain)
                if parameter.name == 'progress' and callable(value):
                    value = None  # what a caller's own function raises is the caller's
                if parameter.kind is parameter.KEYWORD_ONLY or options or len(arguments) < list(
                        inspect.signature(function).parameters).index(parameter.name):
                    options[parameter.name] = value
                else:
                    arguments.append(value)
        return arguments, options

    def _options(self, arguments: list, chain, bad_ones: float) -> dict:
        """Return options of a solver; those that could take minutes are small."""
        name = arguments[0] if arguments and isinstance(arguments[0], str) else 'dls'
        extreme = self.rng.random() < 0.3
        find = body_solver_class if name in body_solver_names() else solver_class
        specs = find(name if name in (*built_in_names(), *body_solver_names())
                     else 'dls').Options.specs()
        options: dict = {**QUICK, 'timeout': 0.5}
        if name == 'example':
            options['examples'] = self.rng.uniform(-1.0, 1.0, (5, chain.n_joints))
        for _ in range(self.rng.integers(3)):
            key, bad = self._any(list(specs)), self.rng.random() < bad_ones
            if bad or key not in QUICK:
                options[key] = self._any(HOSTILE) if bad else self._any(
                    EXTREMES if extreme else
                    [*specs[key].choices, 1e-3, 0.5, np.full(chain.n_joints, 0.5), None])
        return {key: value for key, value in options.items() if key in specs or bad_ones > 0.5}

    def _good(self, name: str, chain):
        """Return a value that a parameter of this name may have, by and large."""
        n, rng = chain.n_joints, self.rng
        extreme = rng.random() < 0.1  # what is a number may be one that none expects
        pose = chain.forward(rng.uniform(-1.0, 1.0, n))
        q = rng.uniform(-1.0, 1.0, n)
        if extreme:
            q *= self._any(EXTREMES)
        goals = [*self.goals, *self.made_goals]
        made = [self._any([*self.tasks, *self.made_tasks]) for _ in range(rng.integers(1, 4))]
        makers = {
            ('goal', 'T_base_goal', 'T_world_root', 'pose', 'T0', 'T1', 'placement'): lambda: (
                self._any([pose, np.asfortranarray(pose), pose.tolist(), self._any(goals)])),
            ('goals', 'poses'): lambda: np.array([pose] * int(rng.integers(3))),
            ('q0', 'q', 'q1', 'default'): lambda: self._any(
                [q, q.tolist(), q.astype('f4'), tuple(q), np.repeat(q, 2)[::2],
                 np.round(np.clip(q, -1e9, 1e9)).astype(int)]),
            ('lower',): lambda: self._any([chain.lower, -0.5]),
            ('upper',): lambda: self._any([chain.upper, 0.5]),
            ('chain', 'space'): lambda: chain, ('tree',): lambda: chain.tree,
            ('values',): lambda: dict(zip(chain.joint_names, q)),
            ('s', 't', 'speed', 'edge', 'velocity', 'multiplier', 'offset'): lambda: 0.5,
            ('seed',): lambda: 3, ('within_limits', 'hold_complex_joints'): lambda: True,
            ('redundancy',): lambda: self._any([None, 0.3, [0.2]]),
            ('elbow', 'position', 'axis', 'normal', 'point', 'center'): lambda: self._any(
                [[0.0, 0.0, 1.0], [0.1, 0.2, 0.3 if not extreme else self._any(EXTREMES)]]),
            ('orientation',): lambda: self._any([np.eye(3), [0, 0, 0, 2]]),
            ('weights',): lambda: self._any(
                [None, np.ones(6), [True] * 3 + [False] * 3,
                 rng.permutation([1.0, 1.0, 0.0, *rng.choice(EXTREMES, 3).astype(float)])]),
            ('body',): lambda: self._any([self.bodies[2], *self.bodies]),
            ('tasks',): lambda: self._any([self.tasks, self.tasks[:2], made]),
            ('target',): lambda: self._any([[0.3, 0.1, 0.5], np.eye(3), pose, None]),
            ('direction', 'origin', 'force', 'point_a', 'point_b'): lambda: (
                [0.1, 0.2, 0.3 if not extreme else self._any(EXTREMES)]),
            ('polygon',): lambda: [[-0.1, -0.1], [0.1, -0.1], [0.0, 0.1]],
            ('weight', 'stiffness', 'rest_length', 'dt', 'timeout', 'max_joint_step'): lambda: (
                self._any(EXTREMES) if extreme else 0.5),
            ('join_q0', 'windings'): lambda: True,
            ('priority',): lambda: int(rng.integers(3)), ('gains',): lambda: None,
            ('units',): lambda: 'm', ('one_sided',): lambda: False,
            ('residual',): lambda: lambda q: q[:1],
            ('jacobian',): lambda: lambda q: np.eye(1, len(q)),
            ('base_link', 'link', 'tip_link', 'parent', 'child', 'joint', 'link_a', 'link_b',
             'reference'): lambda: self._any(
                [*chain.links, 'joint_1']),
            ('name',): lambda: self._any(
                [*built_in_names(), *body_solver_names(), 'sine', 'home', 'robot']),
            ('convention',): lambda: self._any(['standard', 'modified']),
            ('table',): lambda: self._any([np.ones((2, 4)), chain.to_dh('standard')
                                           if chain is self.chains[0] else [[0, 1, 0, 0]]]),
            ('source', 'text'): lambda: self._any([chain.tree.to_urdf(), {'poses': {'a': {
                'joint_1': 0.1}}}, 'nowhere.yaml', 'nowhere.urdf']),
            ('path',): lambda: 'nowhere.srdf', ('rotation',): lambda: 'zyx',
            ('type',): lambda: self._any(['revolute', 'fixed', 'ball', 'planar', 'ship']),
            ('reason',): lambda: ik_node.StopReason.LIMITS, ('angle_unit',): lambda: 'deg',
            ('links',): lambda: ['a', 'b'],
            ('joints',): lambda: self._any([[Joint('j', 'revolute', 'a', 'b')],
                                            list(chain.joint_names)]),
            ('mimic',): lambda: Mimic('j'), ('warnings',): list, ('xacro_args',): dict,
            ('times',): lambda: [0.0, 1.0], ('configurations',): lambda: [q, q],
            ('easing',): lambda: 'sine',
            ('progress', 'visuals', 'collisions', 'effort'): lambda: None,
            ('root',): lambda: self._any(['fixed', 'planar', 'floating']),
            ('held',): lambda: {chain.joint_names[0]: 0.1},
            ('mass',): lambda: 2.0, ('inertia',): lambda: np.eye(3),
            ('inertials',): lambda: {'b': Inertial(1.0)},
            ('shape',): lambda: Box((1.0, 1.0, 1.0)),
            ('avoid_collisions',): lambda: rng.random() < 0.7,
            ('obstacles',): lambda: self._any([self.obstacles, self.obstacles[:1], []]),
            ('margin', 'distance', 'slack', 'radius'): lambda: (
                self._any(EXTREMES) if extreme else 0.01),
            ('others', 'disabled'): lambda: self._any([None, ()]),
            ('bounds',): lambda: [[-1, -1, -1], [1, 1, 1]]}
        for names, make in makers.items():
            if name in names:
                return make()
        return self._any(HOSTILE)

    def _use(self, value) -> None:
        """Solve with a solver that a call has made; keep a goal or a task for later calls."""
        if isinstance(value, Goal):
            self.made_goals = [*self.made_goals, value][-_KEPT:]
        elif isinstance(value, tasks.Task):
            self.made_tasks = [*self.made_tasks, value][-_KEPT:]
        elif isinstance(value, Solver):
            for method in (value.solve, value.closest, value.step):
                with contextlib.suppress(IkError):
                    check_result(method(self._good('goal', value.chain),
                                        self._good('q', value.chain)), 'Solver')
        elif isinstance(value, BodySolver):
            q = self.rng.uniform(-1.0, 1.0, value.body.n_joints)
            for method, more in ((value.solve, ()), (value.closest, ()), (value.velocity, (
                    self._good('dt', self.chains[0]),))):
                with contextlib.suppress(IkError):
                    check_result(method(q, *more), 'BodySolver', value)

    def _any(self, values):
        return values[self.rng.integers(len(values))]


def run(count: int, seed: int,
        tell=lambda done, failures: None) -> tuple[dict[str, int], int, list[str]]:
    """Make calls. Return how often each callable was called, how many were refused, what failed."""
    calls, refused, failures = Calls(seed), 0, []
    counts = dict.fromkeys(calls.names, 0)
    for done in range(count):
        name, said, error = calls.one()
        counts[name] += 1
        if isinstance(error, IkError):
            refused += 1
            try:
                assert len(str(error)) > 10
                assert str(pickle.loads(pickle.dumps(error))) == str(error)
            except Exception as wrong:
                failures.append(f'{said}: the error {type(error).__name__} is no good: {wrong!r}')
        elif error is not None:
            failures.append(f'{said}: {type(error).__name__}: {error!s:.300}')
        tell(done, failures)
    return counts, refused, failures


def _public(name: str) -> bool:
    return not name.startswith('_') and name not in INTERNAL


def _said(value) -> str:
    try:
        return f'{value!r:.200}'
    except Exception:
        return f'{type(value).__name__} whose repr raises'
