import numpy as np
import pytest

import robots
from generated_robots import generate
from ik_node import KinematicTree
from ik_node.commands.ready_pose import LEAST_CONDITION, condition_numbers, ready_pose
from ik_node.model.readers import read_model
from ik_node.support.resources import own_robots

TIPS = {'humanoid': 'right_palm', 'torso': 'right_tool0'}


def chains():
    """Return the arms of the robots of this package, and of random ones, by name."""
    yield from ((name, read_model(file).chain(None, TIPS.get(name)))
                for name, file in own_robots().items())
    for seed in (28, 55):  # of 36 and 19 joints
        yield f'generated {seed}', generate(seed).chain
    rng = np.random.default_rng(4)
    for count in (3, 5, 6, 7):
        for k in range(3):
            axes = rng.permuted(np.eye(3)[rng.integers(0, 3, count)], axis=1)
            joints = [robots.joint(
                f'j{i}', 'revolute', f'l{i}' if i else 'base', f'l{i + 1}', xyz='0 0 0.3',
                axis=' '.join(map(str, axis)), limit='lower="-2.5" upper="2.5"')
                for i, axis in enumerate(axes)]
            yield f'{count} joints {k}', KinematicTree.from_urdf(robots.robot(
                *joints, robots.joint('t', 'fixed', f'l{count}', 'tip', xyz='0.1 0 0.1'))).chain()


@pytest.mark.parametrize(('name', 'chain'), list(chains()))
def test_the_pose_is_inside_the_limits_and_not_singular_where_the_arm_has_such_a_one(name, chain):
    q = ready_pose(chain)
    assert ((chain.lower <= q) & (q <= chain.upper)).all()
    assert q == pytest.approx(ready_pose(chain))  # always the same
    random = np.random.default_rng(1).uniform(
        np.maximum(chain.lower, -np.pi), np.minimum(chain.upper, np.pi), (300, chain.n_joints))
    (own, *others) = condition_numbers(chain, np.array([q, *random]))
    assert own >= min(LEAST_CONDITION, np.quantile(others, 0.9))


@pytest.mark.parametrize('name', ['arm_6r', 'arm_7r'])
def test_the_tip_is_in_front_and_above_the_floor(name):
    chain = KinematicTree.from_urdf(robots.OWN / f'{name}.urdf').chain()
    x, y, z = chain.forward(ready_pose(chain))[:3, 3]
    assert min(x, z) > 0.2
    assert abs(y) < 0.1


def test_the_elbow_is_not_near_the_floor():
    chain = robots.chain('ur5')
    poses = chain.tree.forward(dict(zip(chain.joint_names, ready_pose(chain))))
    assert min(poses[link][2, 3] for link in chain.links[3:]) > 0.25


def test_a_torso_stays_upright():
    chain = KinematicTree.from_urdf(robots.OWN / 'humanoid.urdf').chain(None, 'right_palm')
    assert np.abs(ready_pose(chain)[:3]).max() < 0.2


def test_a_named_pose_beside_the_robot_is_taken_unless_it_is_singular(tmp_path):
    file = tmp_path / 'arm_6r.urdf'
    file.write_text((robots.OWN / 'arm_6r.urdf').read_text())
    chain = KinematicTree.from_urdf(file).chain()
    home, straight = (0.0, 0.2, 0.4, 0.0, -0.6, 0.0), (0.0, 0.0, 0.0, 0.0, -np.pi / 2, 0.0)
    found = []
    for name, values in (('home', home), ('ready', straight)):
        states = ''.join(f'<joint name="{joint}" value="{value}"/>'
                         for joint, value in zip(chain.joint_names, values))
        file.with_suffix('.srdf').write_text(
            '<robot name="arm_6r"><group name="arm"><chain base_link="base_link" '
            f'tip_link="tool0"/></group><group_state name="{name}" group="arm">{states}'
            '</group_state></robot>')
        found.append(ready_pose(chain, file))
    assert found[0] == pytest.approx(home)
    assert condition_numbers(chain, np.array([straight, chain.neutral()]))[0] < LEAST_CONDITION
    assert found[1] == pytest.approx(ready_pose(chain))
