"""Solves goals without collisions with a peer, for `benchmark.collisions`, in its interpreter.

It imports nothing else of the project. It reads pickles from its standard input: first the robot,
{name, urdf, links, joints, tips, pairs, tolerance}, then goals, (joint values (n,), poses of the
tips (k, 4, 4)); it answers each with joint values and seconds of the processor. Steps are whole
ones where no collision is near, and so many that what converges does. Meshes are convex hulls in
mink, pink and placo, which by triangles take some thirty times as long; not in roboplan.
"""

import contextlib
import os
import pickle
import re
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

_MOST = 100         # steps
_SECONDS = 2.0      # for a goal
_CLEARANCE = 1e-3   # m
_NEAR = 0.05        # m, of pairs that matter to a step


class Pink:
    """Steps of quadratic programs with barriers."""

    def __init__(self, robot):
        import pink
        import pinocchio
        from pink.barriers import SelfCollisionBarrier
        from pink.limits import ConfigurationLimit
        self.pink, self.pin, self.tips = pink, pinocchio, robot['tips']
        self.model = model = pinocchio.buildModelFromXML(robot['urdf'])
        self.data = model.createData()
        self.shapes = pinocchio.buildGeomFromUrdfString(
            model, robot['urdf'], pinocchio.GeometryType.COLLISION)
        _take_hulls(self.shapes)
        links = [model.frames[one.parentFrame].name for one in self.shapes.geometryObjects]
        for j, b in enumerate(links):
            for i, a in enumerate(links[:j]):
                if frozenset((a, b)) in robot['pairs']:
                    self.shapes.addCollisionPair(pinocchio.CollisionPair(i, j))
        self.seen = self.shapes.createData()
        self.joints = [model.joints[model.getJointId(name)] for name in robot['joints']]
        self.tasks = [pink.FrameTask(tip, 1.0, 1.0) for tip in self.tips]
        self.limits = [ConfigurationLimit(model)]
        self.barriers = [SelfCollisionBarrier(min(10, len(self.shapes.collisionPairs)), gain=0.5,
                                              safe_displacement_gain=0.0, d_min=_CLEARANCE)]

    def start(self, q, targets):
        full = self.pin.neutral(self.model)
        for joint, value in zip(self.joints, q):
            full[joint.idx_q:joint.idx_q + joint.nq] = (
                value if joint.nq == 1 else (np.cos(value), np.sin(value)))
        for task, T in zip(self.tasks, targets):
            task.set_target(self.pin.SE3(T))
        self.now = self.pink.Configuration(self.model, self.data, full, copy_data=False,
                                           collision_model=self.shapes, collision_data=self.seen)

    def step(self):
        velocity = self.pink.solve_ik(self.now, self.tasks, 1.0, 'daqp', damping=1e-6,
                                      limits=self.limits, barriers=self.barriers,
                                      safety_break=False)
        self.now.integrate_inplace(velocity, 1.0)

    def frames(self):
        return [self.now.get_transform_frame_to_world(tip).homogeneous for tip in self.tips]

    def q(self):
        return [self.now.q[j.idx_q] if j.nq == 1 else np.arctan2(
            self.now.q[j.idx_q + 1], self.now.q[j.idx_q]) for j in self.joints]


class Mink:
    """Steps of quadratic programs with limits of distances, on MuJoCo."""

    def __init__(self, robot):
        import mink
        import mujoco
        self.folder = tempfile.TemporaryDirectory()
        urdf = re.sub(r'(?i)(?<=filename=")[^"]+\.dae', lambda found: _as_obj(
            found[0], Path(self.folder.name)), robot['urdf'])
        urdf = urdf.replace('</robot>', (
            '<mujoco><compiler strippath="false" fusestatic="false" balanceinertia="true" '
            'boundmass="1e-3" boundinertia="1e-6"/></mujoco></robot>'))
        self.mink, self.tips, model = mink, robot['tips'], mujoco.MjModel.from_xml_string(urdf)
        geoms = {}
        for k in range(model.ngeom):
            geoms.setdefault(model.body(model.geom_bodyid[k]).name, []).append(k)
        pairs = [tuple(geoms[link] for link in pair) for pair in robot['pairs']
                 if geoms.keys() >= pair]
        self.at = [model.joint(name).qposadr[0] for name in robot['joints']]
        self.now = mink.Configuration(model)
        self.tasks = [mink.FrameTask(tip, 'body', 1.0, 1.0) for tip in self.tips]
        self.limits = [mink.ConfigurationLimit(model), mink.CollisionAvoidanceLimit(
            model, pairs, minimum_distance_from_collisions=_CLEARANCE,
            collision_detection_distance=_NEAR)]

    def start(self, q, targets):
        full = self.now.q.copy()
        full[self.at] = q
        self.now.update(full)
        for task, T in zip(self.tasks, targets):
            task.set_target(self.mink.SE3.from_matrix(T))

    def step(self):
        self.now.integrate_inplace(self.mink.solve_ik(
            self.now, self.tasks, 1.0, 'daqp', damping=1e-6, limits=self.limits), 1.0)

    def frames(self):
        return [self.now.get_transform_frame_to_world(tip, 'body').as_matrix()
                for tip in self.tips]

    def q(self):
        return self.now.q[self.at]


class Placo:
    """Steps of quadratic programs with constraints of distances."""

    def __init__(self, robot):
        import json

        import placo
        self.robot = placo.RobotWrapper('', 0, robot['urdf'])
        shapes = self.robot.collision_model.geometryObjects
        _take_hulls(self.robot.collision_model)
        links = [self.robot.model.frames[one.parentFrame].name for one in shapes]
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump([[i, j] for j, b in enumerate(links) for i, a in enumerate(links[:j])
                       if frozenset((a, b)) in robot['pairs']], file)
            file.flush()
            self.robot.load_collision_pairs(file.name)
        self.solver, self.names = self.robot.make_solver(), robot['joints']
        self.solver.mask_fbase(True)
        self.solver.enable_joint_limits(True)
        self.tips = robot['tips']
        self.tasks = [self.solver.add_frame_task(tip, np.eye(4)) for tip in self.tips]
        for task, tip in zip(self.tasks, self.tips):
            task.configure(tip, 'soft', 1.0, 1.0)
        self.solver.add_regularization_task(1e-6)
        avoid = self.solver.add_avoid_self_collisions_constraint()
        avoid.self_collisions_margin, avoid.self_collisions_trigger = _CLEARANCE, _NEAR

    def start(self, q, targets):
        for name, value in zip(self.names, q):
            self.robot.set_joint(name, value)
        self.robot.update_kinematics()
        for task, T in zip(self.tasks, targets):
            task.T_world_frame = T

    def step(self):
        self.solver.solve(True)
        self.robot.update_kinematics()

    def frames(self):
        return [np.array(self.robot.get_T_world_frame(tip)) for tip in self.tips]

    def q(self):
        return [self.robot.get_joint(name) for name in self.names]


class Roboplan:
    """The simple solver, which rejects what touches and restarts."""

    def __init__(self, robot):
        from roboplan import core, simple_ik
        disabled = [(a, b) for j, b in enumerate(robot['links']) for a in robot['links'][:j]
                    if frozenset((a, b)) not in robot['pairs']]
        srdf = '<robot name="it"><group name="all">' + ''.join(
            f'<joint name="{name}"/>' for name in robot['joints']) + '</group>' + ''.join(
            f'<disable_collisions link1="{a}" link2="{b}" reason="Never"/>'
            for a, b in disabled) + '</robot>'
        self.core, self.tips, self.root = core, robot['tips'], robot['links'][0]
        self.scene = core.Scene('it', urdf=robot['urdf'], srdf=srdf)
        self.names = robot['joints']
        self.solver = simple_ik.SimpleIk(self.scene, simple_ik.SimpleIkOptions(
            group_name='all', max_iters=_MOST, max_time=_SECONDS, max_restarts=10,
            max_linear_error_norm=robot['tolerance'], max_angular_error_norm=robot['tolerance']))

    def solve(self, q, targets, tolerance):
        goals = [self.core.CartesianConfiguration(self.root, tip, np.asfortranarray(T))
                 for tip, T in zip(self.tips, targets)]
        found = self.core.JointConfiguration(self.names, np.array(q))
        self.solver.solveIk(goals, self.core.JointConfiguration(self.names, np.array(q)), found)
        return found.positions


def _as_obj(file, folder):
    """Write a mesh that MuJoCo cannot read in a folder; return its file."""
    import coal
    mesh, own = coal.MeshLoader().load(file, np.ones(3)), folder / f'{Path(file).stem}.obj'
    faces = [[1 + mesh.tri_indices(k)[i] for i in range(3)] for k in range(mesh.num_tris)]
    own.write_text(''.join('v {} {} {}\n'.format(*point) for point in mesh.vertices()) + ''.join(
        'f {} {} {}\n'.format(*face) for face in faces))
    return str(own)


def _take_hulls(shapes):
    for one in shapes.geometryObjects:
        if 'BVH' in type(one.geometry).__name__:
            one.geometry.buildConvexHull(False, 'Qt')
            one.geometry = one.geometry.convex


def stepwise(peer, q, targets, tolerance):
    """Step until the goal is met; return the joint values then, or at the end."""
    peer.start(q, targets)
    ends = time.monotonic() + _SECONDS
    for _ in range(_MOST):
        if all(_misses(T, wanted) <= tolerance for T, wanted in zip(peer.frames(), targets)) or (
                time.monotonic() > ends):
            break
        with contextlib.suppress(StopIteration):
            peer.step()
    return peer.q()


def _misses(T, wanted):
    R = T[:3, :3].T @ wanted[:3, :3]
    axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return max(np.linalg.norm(T[:3, 3] - wanted[:3, 3]),
               np.arctan2(np.linalg.norm(axial), np.trace(R) - 1.0))


def main():
    """Answer goals until there are no more."""
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), 'wb')
    sys.stdout = sys.stderr  # libraries print
    os.dup2(2, 1)
    robot = pickle.load(stdin)
    peer = {'pink': Pink, 'mink': Mink, 'placo': Placo, 'roboplan': Roboplan}[robot['name']](robot)
    with contextlib.suppress(EOFError):
        while True:
            q, targets = pickle.load(stdin)
            began = time.process_time()
            try:
                found = (peer.solve(q, targets, robot['tolerance']) if hasattr(peer, 'solve')
                         else stepwise(peer, q, targets, robot['tolerance']))
            except Exception as error:  # a program without a solution: each has its own
                print(f'{robot["name"]}: {error}'[:200], file=sys.stderr)
                found = np.full(len(q), np.nan)
            pickle.dump((np.array(found), time.process_time() - began), stdout)
            stdout.flush()


if __name__ == '__main__':
    main()
