"""Calls of every public function and method with good and hostile arguments, drawn from a seed.

The callables are found by introspection, so that new methods and parameters are drawn as well: a
parameter whose name is not known here gets hostile values only.
"""

import contextlib
import inspect
import pickle
import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import FunctionType

import numpy as np

import ik_node
import robots
from ik_node import (
    Goal,
    IkError,
    KinematicTree,
    Result,
    make_body_solver,
    make_solver,
    plugins,
    tasks,
)
from ik_node.collision import CollisionModel, Ground, Obstacle, PointCloud, Sphere
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
from ik_node.solvers.result import BodyResult
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import UnsupportedError
from ik_node.workspace import task_rank, voxels

# Takes what the package has checked already, or is made by the package alone.
INTERNAL = {'of', 'nearest_end', 'straight', 'centres', 'numbers', 'neighbours',
            'compiled', 'mro', 'register', 'as_pose', 'rows', 'evaluate', 'energy', 'check',
            'target_in', 'target_from', 'read_target', 'drawing', 'self_motions',
            'wanted'}
_QUICK = {'max_restarts': 3, 'max_iterations': 60}
EXTREMES = [5e-324, 1e-300, 1e-160, 1e-12, 1e9, 1e160, 1e200, 1e300, 1e308, 10**9, 2**31 - 1]
# What is called so returns finite numbers, if it does.
_FINITE = ('Solver', 'BodySolver', 'Body.', 'Chain.forward', 'Chain.jacobian', 'pose_error',
           'nearest_turn')
_KEPT = 12  # goals and tasks that calls have made, to be used by others


class Hostile:
    """An object each of whose methods raises what nobody expects."""

    def _refuse(self, *_, **__):
        raise RuntimeError('hostile')

    __array__ = __len__ = __iter__ = __getitem__ = __eq__ = __bool__ = __float__ = _refuse
    __repr__ = __str__ = __index__ = __int__ = __lt__ = __add__ = __fspath__ = _refuse
    __contains__ = _refuse

    def __hash__(self):
        return 7


class HostileSequence(Sequence):
    def __len__(self):
        raise RuntimeError('hostile')

    def __getitem__(self, index):
        raise RuntimeError('hostile')


class HostileMapping(Mapping):
    def __len__(self):
        return 3

    def __getitem__(self, key):
        raise RuntimeError('hostile')

    def __iter__(self):
        raise RuntimeError('hostile')


def _nested():
    inside: list = []
    inside.append(inside)
    return inside


HOSTILE = [
    None, True, False, 0, -1, 1, 2, 10**400, -10**5000, 2**63, 0.0, -0.5, 0.5, 1e308, -1e308, 2e9,
    3e9, float('nan'), float('inf'), 1j, '', '1', 'x', '\0', '\ud800', 'a' * 5000, '<robot/>', b'1',
    Fraction(1, 3), [], [1], [[1], [1, 2]], (), {}, {'a': 1}, {1: 2}, set(), [None], ['1', '2'],
    [1.0, 10**400], [1j] * 6, [True] * 6, np.zeros(0), np.zeros(2), np.zeros((6, 6)), np.zeros(()),
    np.eye(3), np.eye(4), np.eye(4) * 1j, np.diag([2.0, 2, 2, 1]), np.full((4, 4), np.nan),
    np.eye(4).astype(str), np.eye(4, dtype=bool), np.array([1, 'a', None], dtype=object),
    np.ma.masked_array(np.zeros(6), [1, 0, 0, 0, 0, 0]), np.ma.masked_array(np.eye(4)),
    [np.ma.masked_array(np.eye(4), np.eye(4))], np.ma.masked, np.array(['2020'], dtype='M8'),
    np.zeros(6, dtype='f4,i4'), np.longdouble('1e4000'), np.float32(1.5), object, len, Hostile(),
    HostileSequence(), HostileMapping(), [Hostile()], {Hostile(): 1.0}, {'joint_1': Hostile()},
    _nested(), range(3), iter([1, 2]), lambda *_: None, np.zeros(3)[::2], np.full(6, 1e308)]


class Calls:
    """What is called, and what is drawn for every parameter.

    - `names`: of all callables, to see what is covered.
    """

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        planar, mimicking = robots.planar(0.4, 0.3, 0.2, limit=2.5), robots.mimicking()
        arm = robots.chain('arm_6r')
        seven = robots.chain('arm_7r')
        self.chains = [planar, mimicking, arm, robots.scara(), seven]
        self.trees = [chain.tree for chain in self.chains]
        self.solvers = []
        for chain in self.chains:
            for name in built_in_names():
                quick = {key: value for key, value in _QUICK.items()
                         if key in solver_class(name).Options.specs()}
                if name == 'example':
                    quick['examples'] = self.rng.uniform(-1.0, 1.0, (5, chain.n_joints))
                try:
                    self.solvers.append(make_solver(name, chain, **quick))
                except UnsupportedError:
                    continue
        self.goals = [Goal([0.3, 0.2, 0.1]), Goal.from_pose(planar.forward([0.1, 0.2, 0.3])),
                      Goal(orientation=[0, 0, 0, 1]),
                      Goal([1, 0, 0], np.eye(3), [1, 1, 0, 0, 0, 1])]
        self.results: list = [self.solvers[0].solve(self.goals[0]),
                              self.solvers[0].solve_batch(np.tile(np.eye(4), (3, 1, 1)))]
        self.keys = key_poses.KeyConfigurations(planar, [0, 1], [[0, 0, 0], [1, 1, 1]])
        poses = pose_library.PoseLibrary({'home': {'joint_1': 0.1}}, planar.tree)
        schedule = key_poses.Schedule([0, 1], 'cubic')
        tip = key_poses.KeyPoses([0, 1], [np.eye(4), np.eye(4)])
        self.bodies = [*(tree.body() for tree in self.trees), self.trees[0].body('floating')]
        self.bodies.append(self.trees[2].body('planar'))
        self.tasks = self._tasks(self.bodies[2])
        self.made_goals: list = []
        self.made_tasks: list = []
        self.body_solvers = [make_body_solver(name, body, self.tasks[:k + 2], **_QUICK)
                             for k, name in enumerate(body_solver_names())
                             for body in (self.bodies[2], self.bodies[-1])]
        near = Obstacle(Sphere(0.2), pose_from_rpy((0.5, 0.2, 0.3), (0.0, 0.0, 0.0)))
        self.obstacles = [near, Obstacle(Ground(offset=-0.5)),
                          Obstacle(PointCloud([[0.5, 0.0, 0.5], [0.4, 0.1, 0.5]], 0.02))]
        self.solvers += [make_solver(name, arm, avoid_collisions=True, obstacles=self.obstacles,
                                     **_QUICK) for name in ('dls', 'auto')]
        self.body_solvers.append(make_body_solver(
            'least_squares', self.bodies[2], self.tasks[:2], avoid_collisions=True,
            obstacles=self.obstacles, **_QUICK))
        self.objects = [CollisionModel(arm, self.obstacles), *self.trees, *self.bodies,
                        *self.chains, *self.goals, *self.results,
                        *self.solvers, *self.tasks, *self.body_solvers, self.keys, poses, schedule,
                        tip, interpolation.easing('sine')]
        self.functions = self._functions()
        # Every callable as often as any other, however many objects have it.
        self.by_name: dict[str, list] = {}
        for name, function in self.functions:
            self.by_name.setdefault(name, []).append(function)
        self.names = sorted(self.by_name)

    def _tasks(self, body) -> list:
        tip, middle = body.tree.links[-1], body.tree.links[3]
        return [tasks.Position(tip, [0.3, 0.1, 0.5]), tasks.Pose(tip, np.eye(4)),
                tasks.Orientation(tip, np.eye(3)), tasks.RelativePose(tip, middle, np.eye(4)),
                tasks.AlignAxis(tip, [0, 0, 1], [0, 0, 1]), tasks.LookAt(tip, [0, 0, 1], [1, 0, 0]),
                tasks.PointOnLine(tip, [0, 0, 0], [0.3, 0, 0], [0, 0, 1]),
                tasks.PointOnPlane(tip, [0, 0, 0], [0.3, 0, 0], [0, 0, 1]),
                tasks.HalfSpace(tip, [0, 0, 0], [0.3, 0, 0], [0, 0, 1]),
                tasks.Distance(tip, middle, 0.1, 0.5), tasks.Spring(tip, middle, 10.0, 0.1),
                tasks.Force(tip, [0, 0, 1]), tasks.Posture(np.zeros(body.n_joints)),
                tasks.CustomTask(lambda q: q[:1], lambda q: np.eye(1, body.n_joints))]

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
                self._check(value, name, owner)
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
        options: dict = {**_QUICK, 'timeout': 0.5}
        if name == 'example':
            options['examples'] = self.rng.uniform(-1.0, 1.0, (5, chain.n_joints))
        for _ in range(self.rng.integers(3)):
            key, bad = self._any(list(specs)), self.rng.random() < bad_ones
            if bad or key not in _QUICK:
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
                    self._check(method(self._good('goal', value.chain),
                                       self._good('q', value.chain)), 'Solver')
        elif isinstance(value, BodySolver):
            q = self.rng.uniform(-1.0, 1.0, value.body.n_joints)
            for method, more in ((value.solve, ()), (value.closest, ()), (value.velocity, (
                    self._good('dt', self.chains[0]),))):
                with contextlib.suppress(IkError):
                    self._check(method(q, *more), 'BodySolver', value)

    def _check(self, value, name: str, owner=None) -> None:
        """Raise AssertionError for a result that no call may return.

        name: of the callable. owner: the solver of a body whose method it is.
        """
        if isinstance(value, Result):
            q = np.atleast_2d(value.q)
            assert np.isfinite(q).all(), value
            assert (value.chain.lower <= q).all(), value
            assert (q <= value.chain.upper).all(), value
            assert len(repr(value)) < 2000
        elif isinstance(value, BodyResult):
            assert np.isfinite(value.q).all(), value
            assert owner is None or ((owner.body.lower <= value.q).all()
                                     and (value.q <= owner.body.upper).all()), value
            assert np.isfinite(list(value.errors.values())).all(), value
        elif name == 'Solver.solve_all_batch':  # what is no branch is NaN there
            branches, counts = value
            assert all(np.isfinite(one[:k]).all() for one, k in zip(branches, counts)), value
        elif isinstance(value, self_motion.SelfMotion):
            assert np.isfinite(value.configurations).all(), value
        elif isinstance(value, (np.ndarray, float)) and name.startswith(_FINITE):
            assert np.isfinite(value).all(), value

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
