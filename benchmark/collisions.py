"""Measures solving without collisions, and prints a table.

Goals are what the tips are at joint values, drawn evenly from the limits, that touch nothing; every
start is drawn likewise, and may touch something. A goal is solved when the tips are within the
tolerance, m and rad. Contact is tested by pinocchio and coal on the triangles of the meshes, with
the pairs of links that our solvers check; it counts as none where meshes touch in no triangle.
Times are those of the processor, from Python.
"""

import argparse
import copy
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from benchmark import arms
from benchmark.machine import machine
from ik_node import Chain, KinematicTree, make_body_solver, make_solver
from ik_node.collision import Box, CollisionModel, Cylinder, Obstacle
from ik_node.model.body import Body
from ik_node.model.meshes import Places
from ik_node.model.srdf import read_disabled_collisions
from ik_node.spatial import rpy_from_matrix
from ik_node.tasks import Pose

HEAD = ('| robot | solver | solved % | of these in contact | median ms | p99 ms |\n'
        '|---|---|---|---|---|---|')
_PANDA = 'panda_description/urdf/panda.urdf'
_ROUND = np.pi      # rad either way, of joints without limits


class Case(NamedTuple):
    """A robot, its tips, and what is around it."""

    space: Chain | Body
    tips: tuple[str, ...]
    obstacles: list[Obstacle]
    urdf: str
    """The robot and the obstacles, links `obstacle_0` and so on, for pinocchio."""
    disabled: list[tuple[str, str]]


def _at(x: float, y: float, z: float) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


_FLOOR = Obstacle(Box((6.0, 6.0, 0.2)), _at(0.0, 0.0, -0.105), name='floor')
_AROUND = [_FLOOR, Obstacle(Box((0.1, 0.1, 1.2)), _at(0.45, 0.3, 0.6), name='post'),
           Obstacle(Cylinder(0.05, 1.2), _at(-0.35, 0.45, 0.6), name='pole'),
           Obstacle(Box((0.6, 0.8, 0.05)), _at(0.55, -0.4, 0.25), name='table')]
_SRDF = {'baxter': 'baxter_description/srdf/baxter_manipulation.srdf',
         'baxter body': 'baxter_description/srdf/baxter_manipulation.srdf',
         'talos': 'talos_data/srdf/talos.srdf'}
_BODIES = {
    'baxter body': ('baxter_description/urdf/baxter.urdf', ('left_gripper', 'right_gripper'),
                    [Obstacle(Box((0.6, 1.2, 0.05)), _at(0.9, 0.0, -0.1), name='table')]),
    'talos': ('talos_data/robots/talos_reduced.urdf',
              ('gripper_left_base_link', 'gripper_right_base_link'),
              [Obstacle(Box((0.4, 1.2, 0.05)), _at(0.6, 0.0, 0.1), name='table')]),
    'two pandas': ('', ('left_panda_hand_tcp', 'right_panda_hand_tcp'),
                   [_FLOOR, Obstacle(Box((0.3, 0.3, 0.3)), _at(0.5, 0.0, 0.15), name='box')])}
CASES = ('ur5', 'panda', 'iiwa14', 'baxter', *_BODIES)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.collisions', description=__doc__)
    parser.add_argument('--cases', nargs='+', default=CASES, choices=CASES)
    parser.add_argument('--goals', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    print(f'{arguments.goals} goals; {machine()}\n\n{HEAD}', flush=True)
    for name in arguments.cases:
        goals = Goals(load(name), arguments.goals, arguments.seed)
        print(_line(name, goals), flush=True)
    return 0


def load(name: str) -> Case:
    """Return a case of CASES."""
    erd = arms.folder('erd')
    if name in _BODIES:
        file, tips, obstacles = _BODIES[name]
        source: Any = erd / file
        root = ElementTree.parse(source).getroot() if file else _two_pandas(erd / _PANDA)
        if not file:
            source = ElementTree.tostring(root, encoding='unicode')
        tree = KinematicTree.from_urdf(source)
        space: Chain | Body = tree.body(held=dict.fromkeys(
            {joint.mimic.joint for joint in tree.joints.values() if joint.mimic} | {
                joint for joint in tree.independent_joints if 'finger' in joint}, 0.0))
    else:
        arm = arms.load(name)
        tree, space, tips, obstacles = arm.chain.tree, arm.chain, (arm.chain.tip_link,), _AROUND
        source, root = arm.file, ElementTree.parse(arm.file).getroot()
    disabled = read_disabled_collisions(erd / _SRDF[name], tree) if name in _SRDF else []
    T = CollisionModel(space, disabled=disabled).robot.T_world_base
    return Case(space, tips, obstacles, _scene(root, source, space, obstacles, T), disabled)


def _two_pandas(file: Path) -> Element:
    """Return the URDF of two pandas that stand 0.6 m apart."""
    one, both = ElementTree.parse(file).getroot(), Element('robot', name='two_pandas')
    SubElement(both, 'link', name='world')
    for side, y in (('left_', 0.3), ('right_', -0.3)):
        arm = copy.deepcopy(one)
        for each in arm.iter():
            if each.tag in ('link', 'joint') and each.get('name'):
                each.set('name', side + each.attrib['name'])
            for key, tags in (('link', ('parent', 'child')), ('joint', ('mimic',))):
                if each.tag in tags:
                    each.set(key, side + each.attrib[key])
        both.extend(each for each in arm if each.tag in ('link', 'joint'))
        _fix(both, f'{side}stand', 'world', f'{side}panda_link0', _at(0.0, y, 0.0))
    for mesh in both.iter('mesh'):
        mesh.set('filename', str(_found(mesh.attrib['filename'], file)))
    return both


def _fix(robot: Element, name: str, parent: str, child: str, T: np.ndarray) -> None:
    joint = SubElement(robot, 'joint', name=name, type='fixed')
    SubElement(joint, 'parent', link=parent)
    SubElement(joint, 'child', link=child)
    _origin(joint, T)


def _origin(element: Element, T: np.ndarray) -> None:
    SubElement(element, 'origin', xyz=' '.join(map(str, T[:3, 3])),
               rpy=' '.join(map(str, rpy_from_matrix(T[:3, :3]))))


def _found(filename: str, file: Any) -> Path:
    if filename.startswith('/'):
        return Path(filename)
    places = Places([Path('/')])
    return places.find(filename, places.near(str(file)))


def _scene(root: Element, source: Any, space: Chain | Body, obstacles: list[Obstacle],
           T_world_base: np.ndarray) -> str:
    """Return the URDF of a robot, with nothing to see, and of what is around it."""
    root = copy.deepcopy(root)
    for link in root.iter('link'):
        if link.find('collision') is not None:
            for visual in link.findall('visual'):
                link.remove(visual)
        for visual in link.findall('visual'):  # counts where there is no other shape
            visual.tag = 'collision'
    for mesh in root.iter('mesh'):
        mesh.set('filename', str(_found(mesh.attrib['filename'], source)))
    for joint in root.findall('joint'):
        if joint.get('name') not in space.joint_names:
            joint.set('type', 'fixed')
    for k, one in enumerate(obstacles):
        shape = SubElement(SubElement(SubElement(
            root, 'link', name=f'obstacle_{k}'), 'collision'), 'geometry')
        if isinstance(one.shape, Box):
            SubElement(shape, 'box', size=' '.join(map(str, one.shape.size)))
        else:
            SubElement(shape, 'cylinder', radius=str(one.shape.radius),
                       length=str(one.shape.length))
        _fix(root, f'place_{k}', space.tree.root, f'obstacle_{k}', T_world_base @ one.pose)
    return ElementTree.tostring(root, encoding='unicode')


class Goals:
    """Goals of a case, free joint values that meet them, and what solves them: q (n,), seconds."""

    def __init__(self, case: Case, count: int, seed: int, tolerance: float = 1e-6) -> None:
        self.case, space = case, case.space
        self._entries = 2.0 * tolerance  # of a pose
        options: Any = {'position_tolerance': tolerance, 'orientation_tolerance': tolerance,
                        'avoid_collisions': True, 'obstacles': case.obstacles,
                        'disabled': case.disabled}
        if isinstance(space, Body):
            self._tasks = [Pose(tip) for tip in case.tips]
            self.solver: Any = make_body_solver('least_squares', space, self._tasks, **options)
        else:
            self.solver = make_solver('auto', space, **options)
        robot = self.solver.collisions.robot
        self.pairs = {(robot.pieces[a].link, robot.pieces[b].link) for a, b in robot.pairs}
        self.checker = Checker(case.urdf, self.pairs)
        rng = np.random.default_rng(seed)
        low = np.where(np.isfinite(space.lower), space.lower, -_ROUND)
        high = np.where(np.isfinite(space.upper), space.upper, _ROUND)
        self.low, self.high, self.values = low, high, []
        self.starts = rng.uniform(low, high, (count, space.n_joints))
        while len(self.values) < count:
            q = rng.uniform(low, high)
            if not self.checker.touches(self.named(q)) and self.solver.collisions.is_free(q):
                self.values.append(q)
        self.targets = np.array([self.tips(q) for q in self.values])

    def named(self, q: np.ndarray) -> dict[str, float]:
        return dict(zip(self.case.space.joint_names, q.tolist()))

    def tips(self, q: np.ndarray) -> np.ndarray:
        space = self.case.space
        if isinstance(space, Chain):
            return space.forward(q)[None]
        frames = space.forward(q)
        return np.array([frames[tip] for tip in self.case.tips])

    def meets(self, q: np.ndarray, targets: np.ndarray) -> bool:
        """Tell whether the tips are where they should be; not where q is nan."""
        return bool(np.isfinite(q).all() and np.abs(self.tips(q) - targets).max() <= self._entries)

    def solved(self) -> list[tuple[np.ndarray, float]]:
        self.solve(self.targets[0], self.starts[0])
        return [self.solve(*goal) for goal in zip(self.targets, self.starts)]

    def solve(self, targets: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, float]:
        started = time.thread_time()
        if isinstance(self.case.space, Body):
            for task, target in zip(self._tasks, targets):
                task.target = target
            result = self.solver.solve(start)
        else:
            result = self.solver.solve(targets[0], start)
        seconds = time.thread_time() - started
        return (result.q if result.success else np.full(len(start), np.nan)), seconds


class Checker:
    """Tells by pinocchio and coal where the triangles of meshes touch."""

    def __init__(self, urdf: str, pairs: Iterable[tuple[str, str]]) -> None:
        import pinocchio
        self._pin, self._model = pinocchio, pinocchio.buildModelFromXML(urdf)
        self._geometry = add_pairs(pinocchio, self._model, urdf, pairs)
        self._data, self._shapes = self._model.createData(), self._geometry.createData()

    def links(self) -> set[frozenset[str]]:
        """Return the pairs of links that are tested."""
        names = [self._model.frames[one.parentFrame].name
                 for one in self._geometry.geometryObjects]
        return {frozenset((names[pair.first], names[pair.second]))
                for pair in self._geometry.collisionPairs}

    def touches(self, values: dict[str, float]) -> bool:
        """Tell whether a pair touches at the values of the joints."""
        return bool(self._pin.computeCollisions(
            self._model, self._data, self._geometry, self._shapes,
            configuration(self._pin, self._model, values), True))


def configuration(pin: Any, model: Any, values: dict[str, float]) -> np.ndarray:
    """Return pinocchio's q of values of joints."""
    q = pin.neutral(model)
    for name, value in values.items():
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q:joint.idx_q + joint.nq] = (
            value if joint.nq == 1 else (np.cos(value), np.sin(value)))
    return q


def add_pairs(pin: Any, model: Any, urdf: str, pairs: Iterable[tuple[str, str]]) -> Any:
    """Return the shapes of a URDF with pairs of links, and with each that moves and an obstacle."""
    geometry, wanted = pin.buildGeomFromUrdfString(model, urdf, pin.GeometryType.COLLISION), {
        frozenset(pair) for pair in pairs}
    links = [model.frames[one.parentFrame].name for one in geometry.geometryObjects]
    moves = [one.parentJoint > 0 for one in geometry.geometryObjects]
    for j, b in enumerate(links):
        for i, a in enumerate(links[:j]):
            around = a.startswith('obstacle_') + b.startswith('obstacle_')
            if frozenset((a, b)) in wanted or (around == 1 and (moves[i] or moves[j])):
                geometry.addCollisionPair(pin.CollisionPair(i, j))
    return geometry


def _line(name: str, goals: Goals) -> str:
    solved = free = 0
    found = goals.solved()
    for (q, _), targets in zip(found, goals.targets):
        if goals.meets(q, targets):
            solved += 1
            free += not goals.checker.touches(goals.named(q))
    ms = 1e3 * np.array([seconds for _, seconds in found])
    return (f'| {name} | {goals.solver.name} | {100 * solved / len(found):.1f} | {solved - free} | '
            f'{np.median(ms):.3f} | {np.percentile(ms, 99):.2f} |')


if __name__ == '__main__':
    sys.exit(main())
