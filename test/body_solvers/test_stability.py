"""Velocities at configurations of structure: straight limbs, right angles, joints at limits."""

import numpy as np
import pytest

import robots
from ik_node import KinematicTree, make_body_solver
from ik_node.spatial import rotation_exp
from ik_node.tasks import CenterOfMass, Pose, Posture
from task_bodies import bounds

FILES = {'baxter': 'baxter_description/urdf/baxter.urdf',
         'talos': 'talos_data/robots/talos_reduced.urdf',
         'g1': 'g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf'}
LINKS = {'baxter': ('left_gripper', 'right_gripper'),
         'talos': ('left_sole_link', 'right_sole_link', 'gripper_left_base_link',
                   'gripper_right_base_link'),
         'g1': ('left_ankle_roll_link', 'right_ankle_roll_link', 'left_wrist_yaw_link',
                'right_wrist_yaw_link')}
KINDS = 5


def configuration(body, rng, kind):
    """Return q (n,), inside the limits; the root is where it begins."""
    n, (lower, upper) = body.n_joints, bounds(body)
    limit = np.where(rng.random(n) < 0.5, lower, upper)
    q = [np.zeros(n),
         np.where(rng.random(n) < 0.3, rng.choice([-0.5, 0.5], n) * np.pi, 0.0),
         np.where(rng.random(n) < 0.3, limit, 0.0),
         np.where(rng.random(n) < 0.5, 0.0, rng.uniform(lower, upper)),
         np.where(rng.random(n) < 0.5, limit, rng.uniform(lower, upper))][kind]
    if 'root_wx' in body.joint_names:
        q[:6] = 0.0
    return np.clip(q, body.lower, body.upper)


def tasks_near(body, rng, q, links, strict):
    """Return poses of links within 0.1 mm to 0.3 m of where they are, balance, and a posture."""
    tasks, frames = [], body.forward(q)
    for k, link in enumerate(links):
        T, size = frames[link].copy(), 10.0 ** rng.uniform(-4.0, -0.5)
        T[:3, 3] += size * rng.normal(size=3)
        T[:3, :3] = T[:3, :3] @ rotation_exp(size * rng.normal(size=3))
        tasks.append(Pose(link, T, priority=2 * k // len(links) if strict else 1))
    if len(links) > 2:
        tasks.append(CenterOfMass(body.center_of_mass(q) + 0.01 * rng.normal(size=3)))
    return [*tasks, Posture(priority=3)]


@pytest.mark.parametrize('robot', FILES)
@pytest.mark.parametrize('name', ['hierarchy', 'lagrange', 'least_squares'])
def test_a_velocity_does_not_depend_on_the_last_digits_of_the_configuration(name, robot):
    file = robots.package_folder('erd') / FILES[robot]
    body = KinematicTree.from_urdf(file).body('fixed' if robot == 'baxter' else 'floating')
    moved, count = [], robots.samples(200)
    for k in range(count):
        rng = np.random.default_rng([0, k])
        q = configuration(body, rng, k % KINDS)
        solver = make_body_solver(name, body, tasks_near(body, rng, q, LINKS[robot], k % 2))
        nearby = q + 1e-12 * rng.choice([-1.0, 1.0], len(q))
        moved.append(np.abs(solver.velocity(q, 0.01) - solver.velocity(nearby, 0.01)).max())
    over = np.array(moved) > 1e-6
    print(f'{name}, {robot}: {over.sum()} of {count} by more than 1e-6, {max(moved):.1e} at most')
    assert over.mean() <= 0.1
    assert max(moved) < 1e-3
