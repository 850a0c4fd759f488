"""Objects of every class whose methods are called at random, and what calls may return."""

import numpy as np

import robots
from ik_node import Goal, Result, make_body_solver, make_solver, tasks
from ik_node.collision import CollisionModel, Ground, Obstacle, PointCloud, Sphere
from ik_node.mocap import key_poses
from ik_node.model import pose_library
from ik_node.motion import interpolation
from ik_node.solvers.arm import self_motion
from ik_node.solvers.registry import body_solver_names, built_in_names, solver_class
from ik_node.solvers.result import BodyResult
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import UnsupportedError

QUICK = {'max_restarts': 3, 'max_iterations': 60}
# What is called so returns finite numbers, if it does.
_FINITE = ('Solver', 'BodySolver', 'Body.', 'Chain.forward', 'Chain.jacobian', 'pose_error',
           'nearest_turn')


class Objects:
    """Trees, chains, bodies, goals, tasks, solvers and results; `objects` are all of them."""

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
                quick = {key: value for key, value in QUICK.items()
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
        self.body_solvers = [make_body_solver(name, body, self.tasks[:k + 2], **QUICK)
                             for k, name in enumerate(body_solver_names())
                             for body in (self.bodies[2], self.bodies[-1])]
        near = Obstacle(Sphere(0.2), pose_from_rpy((0.5, 0.2, 0.3), (0.0, 0.0, 0.0)))
        self.obstacles = [near, Obstacle(Ground(offset=-0.5)),
                          Obstacle(PointCloud([[0.5, 0.0, 0.5], [0.4, 0.1, 0.5]], 0.02))]
        self.solvers += [make_solver(name, arm, avoid_collisions=True, obstacles=self.obstacles,
                                     **QUICK) for name in ('dls', 'auto')]
        self.body_solvers.append(make_body_solver(
            'least_squares', self.bodies[2], self.tasks[:2], avoid_collisions=True,
            obstacles=self.obstacles, **QUICK))
        self.objects = [CollisionModel(arm, self.obstacles), *self.trees, *self.bodies,
                        *self.chains, *self.goals, *self.results,
                        *self.solvers, *self.tasks, *self.body_solvers, self.keys, poses, schedule,
                        tip, interpolation.easing('sine')]

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


def check_result(value, name: str, owner=None) -> None:
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
