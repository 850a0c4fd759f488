"""Saves random scenes of the page, and loads them into fresh nodes.

    python test/soak_scenes.py --scenes 100 --seed 0

A scene is a robot of the gallery, most with meshes: an arm, or a figure on a fixed or moving root
with tasks, whose handles were dragged, with a solver, options and obstacles, which it may avoid.
Joint values, root, targets and options have to come back to 1e-9: what the fresh node publishes,
which had another robot, is compared with what the first did. The robot has to be the entry of the
gallery, with all of its meshes; Undo has to bring back the robot before. A scene that fails is
made again by --scenes 1 and its seed.
"""

import contextlib
import functools
import os
import time

import numpy as np
import viser
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from harness.browser import until, view_of
from harness.page_here import Browser, panel_of
from harness.ros_harness import running
from harness.soak_runner import run_soak
from ik_node.ros.conversions import pose_to_matrix
from ik_node.spatial import pose_from_rpy
from ik_node.viewer.gallery import robots as gallery
from ik_node.viewer.saved_scene import SIZES, MadeObstacle, read_scene

PATIENCE = 60.0  # s: of a machine that is busy
EQUAL = 1e-9     # m, rad, and entries of rotation matrices
ARMS = ('arm_6r', 'arm_7r', 'scara', 'planar_3r', 'torso', 'humanoid', 'panda (DH rows)',
        'puma560 (DH rows)',
        *(name for name in gallery() if name.endswith(('(example-robot-data)', '(rtb-data)'))))
FIGURES = ('humanoid', 'torso')
ARM_SOLVERS = ('dls', 'ccd', 'auto', 'transpose', 'pseudoinverse', 'analytic')
BODY_SOLVERS = ('least_squares', 'hierarchy', 'lagrange')
TASKS = ('pose', 'position', 'orientation', 'look_at', 'relative_pose', 'center_of_mass', 'posture')


class Shown:
    """A node and a page on it, without a browser."""

    def __init__(self, node, server, view, robot_view):
        self.node, self.view, self.robot_view = node, view, robot_view
        self.browser, self.page = Browser(), view.page
        server.get_clients = lambda: {1: self.browser}
        self.states = node.listen(JointState, 'joint_states')
        self.roots = node.listen(PoseStamped, 'ik_node/root_pose')
        self.markers = node.listen(MarkerArray, 'ik_node/markers')
        self.expect(lambda: robot_view.is_placed and self.page.handles._gizmos, 'is drawn')

    def expect(self, done, what):
        """Wait until a condition holds, which `what` says in words."""
        assert until(done, PATIENCE), f'never {what}; the page: {self.robot_view.status}, ' \
            f'{self.browser.notifications}; the node: {self.node.log()[-1000:]}'

    def set(self, **values):
        """Set parameters; return whether the node accepts them."""
        accepted, _ = self.node.set(**values)
        self.expect(lambda: not accepted or all(
            np.array_equal(self.robot_view.parameters.get(name.replace('__', '.')), value)
            for name, value in values.items()), f'are the parameters {values}')
        return accepted

    def drag(self, name, T):
        """Drag a handle, and wait for the outcome."""
        count = self.robot_view.count
        self.expect(lambda: self.page.handles.drag_to(T, name), f'there is a handle of {name!r}')
        self.expect(lambda: self.robot_view.count > count, f'has the node solved {name!r}')

    def settle(self):
        """Wait until the page shows what the node publishes."""
        def agrees():
            self.node.spin(0.05)
            state = self.states[-1]
            return all(abs(self.robot_view.values.get(name, np.inf) - value) < EQUAL
                       for name, value in zip(state.name, state.position)) and (
                not self.robot_view.parameters.moves_root
                or np.abs(self.robot_view.T_world_root - self.root()).max() < EQUAL
            ) and self.handles_follow()
        self.expect(self.has_solved_again, 'has solved its goals with the options that it has')
        self.node.settle()
        count = len(self.markers)  # of the next two the second was begun after what was published
        assert self.node.until(lambda: len(self.markers) > count + 1), self.node.log()
        self.expect(agrees, 'agrees with its node')

    def has_solved_again(self):
        """Tell whether all goals are solved with the present options, which the page looks at."""
        return self.robot_view.state._sent is None and self.page._settings == [
            self.page.setting(self.robot_view)]

    def handles_follow(self):
        """Tell whether dragged handles are where the targets of the last markers are."""
        view = self.robot_view
        return not view._new_markers and all(np.allclose(gizmo.T, target.freedom.merge(
            view.target_frame(target) @ gizmo.T_frame_goal, T), rtol=0.0, atol=1e-12)
            for target, gizmo in list(self.page.handles._gizmos.items())
            if gizmo.is_dragged and (T := view.target_pose(target)) is not None)

    def root(self):
        return pose_to_matrix(self.roots[-1].pose) if self.roots else np.eye(4)

    def drawn(self):
        """Return the name of the robot in the gallery, and the points around each link."""
        assert not self.robot_view.mesh_errors, self.robot_view.mesh_errors
        return panel_of(self.view, 'Download a robot')._find_name(), {
            link: len(points) for link, points in self.robot_view._corners.items()}

    def joints(self):
        return dict(zip(self.states[-1].name, self.states[-1].position))

    def targets(self):
        """Return, by task, what is set of each target."""
        view = self.robot_view
        return {target.name: np.ravel(T[:3, 3] if target.is_point else T[:3, :3] if (
            target.kind == 'orientation') else T[:3])
            for target in view.targets if (T := view.target_pose(target)) is not None}

    def parameters(self, names):
        return dict(zip(names, self.node.get(*names)))


@contextlib.contextmanager
def shown(name, **parameters):
    """Run a node with a robot of the gallery, and show it."""
    robot = {key: value for key, value in gallery()[name].items()
             if value and key in ('model_path', 'tip_link')}
    with (running(**robot, **parameters) as node,
          view_of(node._domain.id) as (server, view, (robot_view,))):
        yield Shown(node, server, view, robot_view)


def arm(made, rng):
    """Solve random goals of an arm."""
    solver = str(rng.choice(ARM_SOLVERS))
    if not made.set(solver=solver):
        solver = 'dls'
    made.set(on_failure='closest' if rng.random() < 0.7 else 'hold')
    options(made, rng, solver)
    if rng.random() < 0.3:
        made.page.restrict(True)
    chain = made.robot_view.chain
    for _ in range(rng.integers(1, 4)):
        T = chain.forward(rng.uniform(np.maximum(chain.lower, -2.0), np.minimum(chain.upper, 2.0)))
        T[:3, 3] *= rng.choice([1.0, 3.0], p=[0.8, 0.2])
        made.drag('', made.robot_view.target_frame() @ T)


def figure(made, rng):
    """Solve random targets of a figure, on any root."""
    links = list(made.robot_view.tree.links)
    names = [f'task_{k}' for k in range(rng.integers(1, 5))]
    solver, root = str(rng.choice(BODY_SOLVERS)), str(rng.choice(['fixed', 'planar', 'floating']))
    assert made.set(solver=solver, tasks=names, root=root)
    if root != 'fixed' and rng.random() < 0.5:
        free = (1, 1, 0, 0, 0, 1) if root == 'planar' else 1
        assert made.set(root_pose=(free * rng.uniform(-1.0, 1.0, 6)).tolist())
    for name in names:
        kind, (link, other) = str(rng.choice(TASKS)), rng.choice(links[1:], 2, replace=False)
        fields = {'type': kind, 'weight': float(rng.uniform(0.5, 2.0)),
                  'priority': int(rng.integers(1, 3))}
        if kind not in ('center_of_mass', 'posture'):
            fields['link'] = str(link)
        if kind == 'look_at':
            fields |= {'axis': [1.0, 0.0, 0.0], 'target': rng.uniform(-2.0, 2.0, 3).tolist()}
        if kind == 'relative_pose':
            fields['reference'] = str(other)
        made.set(**{f'{name}__{field}': value for field, value in fields.items()})
    options(made, rng, solver)
    for _ in range(rng.integers(1, 5)):
        named = sorted(made.targets())
        if named:
            name = str(rng.choice(named))
            made.expect(functools.partial(made.page.handles.named, name), f'has {name!r} a handle')
            made.drag(name, made.page.handles.named(name).T @ pose_from_rpy(
                rng.uniform(-0.2, 0.2, 3), rng.uniform(-0.5, 0.5, 3)))


def options(made, rng, solver):
    """Set random options of a solver, and make random obstacles."""
    for name, value in (('position_tolerance', float(10.0 ** rng.uniform(-6.0, -4.0))),
                        ('max_restarts', int(rng.integers(0, 20))),
                        ('seed', int(rng.integers(0, 1000))),
                        ('avoid_collisions', True)):
        if rng.random() < 0.5 and f'{solver}.{name}' in made.robot_view.parameters:
            made.set(**{f'{solver}__{name}': value})
    obstacles = {}
    for key in range(1, 1 + rng.integers(0, 3)):
        kind = str(rng.choice([kind for kind in SIZES if kind != 'ground']))
        obstacles[key] = MadeObstacle(
            kind, tuple(rng.uniform(0.05, 0.2, len(SIZES[kind])).tolist()),
            pose_from_rpy(rng.uniform(1.0, 2.0, 3), rng.uniform(-3.0, 3.0, 3)))
    panel_of(made.view, 'Obstacles').set_obstacles(obstacles)


def scene(seed, tell):
    """Save and load a random scene; return by how much it differs, {what: largest difference}."""
    rng = np.random.default_rng(seed)
    is_figure = rng.random() < 0.5
    name = str(rng.choice(FIGURES if is_figure else ARMS))
    with shown(name) as made:
        (figure if is_figure else arm)(made, rng)
        if rng.random() < 0.3:
            made.set(motion='joint')
        made.settle()
        panel_of(made.view, 'Scene')._save(made.browser)
        text = made.browser.downloads[-1][1]
        names, drawn = sorted(read_scene(text).parameters), made.drawn()
        before = (made.joints(), made.root(), made.targets(), made.parameters(names),
                  made.page.handles.dragged(), panel_of(made.view, 'Obstacles').obstacles)
        tell(f'{name}, {made.node.get("solver")}, root {made.node.get("root")}, '
             f'tasks {[target.kind for target in made.robot_view.targets]}')
    other = str(rng.choice([other for other in ARMS if other != name]))
    with shown(other) as fresh:
        panel_of(fresh.view, 'Scene')._load(viser.UploadedFile('scene.json', text), fresh.browser)
        lines = [line for line in fresh.browser.notifications if 'is not loaded' in line]
        assert not lines, f'{lines}; the node: {fresh.node.log()[-1000:]}'
        fresh.settle()

        def now():
            return (fresh.joints(), fresh.root(), fresh.targets(), fresh.parameters(names),
                    fresh.page.handles.dragged(), panel_of(fresh.view, 'Obstacles').obstacles)
        found = {}

        def equal():
            fresh.node.spin(0.05)
            found.update(differences(read_scene(text).parameters, before, now()))
            return max(found.values()) <= EQUAL
        until(equal, PATIENCE)  # the robot may move there
        assert fresh.drawn() == drawn
        assert fresh.page.history.undo(), 'there is nothing to undo'
        fresh.expect(lambda: fresh.drawn()[0] == other, f'is {other} there again')
        return found


def differences(kept, before, now):
    """Return the largest difference of joints, root, targets, options, handles and obstacles."""
    joints, root, targets, parameters, handles, obstacles = before
    moved = {name: value for name, value in kept.items()
             if name == 'root_pose' or name.endswith('.target')}
    return {'joints': largest(joints, now[0]), 'root': float(np.abs(root - now[1]).max()),
            'targets': largest(targets, now[2]), 'options': largest(parameters | moved, now[3]),
            'handles': largest(handles, now[4]),
            'obstacles': largest(*({(key, one.kind): np.r_[one.sizes, one.T.ravel()]
                                    for key, one in made.items()} for made in (obstacles, now[5])))}


def largest(before, now):
    """Return the largest difference of values by name; infinite where they differ otherwise."""
    if before.keys() != now.keys():
        return np.inf
    return max((float(np.abs(np.subtract(value, now[name])).max(initial=0.0)) if (
        np.shape(value) == np.shape(now[name]) and np.asarray(value).dtype.kind == 'f') else
        0.0 if np.array_equal(value, now[name]) else np.inf
        for name, value in before.items()), default=0.0)


def soak(given) -> list[str]:
    """Return the scenes that did not come back."""
    failed, worst = [], {}
    for seed in range(given.seed, given.seed + given.scenes):
        began, about, found = time.monotonic(), [], {}
        try:
            found = scene(seed, about.append)
        except AssertionError as error:
            failed.append(f'seed {seed}: {error}')
        worst |= {what: max(worst.get(what, 0.0), value) for what, value in found.items()}
        failed += [f'seed {seed}: {what} by {value}' for what, value in found.items()
                   if value > EQUAL]
        print(f'{seed} {time.monotonic() - began:.1f} s, load {os.getloadavg()[0]:.1f}', *about,
              flush=True)
    print(f'the largest differences: {worst}')
    return failed


if __name__ == '__main__':
    run_soak(soak, __doc__, scenes=100)
