"""Malformed and hostile inputs are refused with a reason, or harmless; the node goes on."""

import hashlib

import pytest
from std_msgs.msg import String

import robots
from harness import hostile_inputs as hostile
from harness.hostile_node import HostileNode
from harness.node_here import NodeHere, running
from hostile_texts import chain, texts_that_name
from ik_node import KinematicTree
from ik_node.motion.tip_path import ClosedPath
from ik_node.ros.clients.demo_goals import DemoGoals
from opened_files import opened_files
from soak_inputs import run

ARM = robots.OWN / 'arm_6r.urdf'


@pytest.fixture(scope='module')
def here():
    with HostileNode() as node:
        yield node


def test_whatever_comes_is_refused_or_harmless_and_a_good_goal_is_met_after_it(here):
    before = here.refusals
    run(here, 60, number=int(hashlib.sha256(b'ik_node').hexdigest()[:8], 16))
    assert here.refusals - before > 30  # they are hostile


def status_of(here, given):
    here.give(given)
    return [status.message for status in here.refused_statuses]


NAN = float('nan')
POSE = [0.3, 0.1, 0.4, 0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(('topic', 'frame', 'poses', 'words'), [
    ('goal_pose', '', [[NAN, *POSE[1:]]], 'must have finite numbers, at most 1e+09 m'),
    ('goal_pose', '', [[1e308, *POSE[1:]]], 'must have finite numbers, at most 1e+09 m'),
    ('goal_pose', '', [[*POSE[:3], 5e-324, 0.0, 0.0, 0.0]], 'is not a quaternion'),
    ('goal_point', '', [[-1e10, *POSE[1:]]], 'must have finite numbers, at most 1e+09 m'),
    ('goal_pose', 'x' * 300, [POSE], 'has 300 characters; at most 255 are allowed'),
    ('goal_pose', '', [[*POSE[:2], float('inf'), *POSE[3:]]], 'the position (0.3, 0.1, inf)'),
    ('goal_pose', '', [[*POSE[:4], NAN, 0.0, 1.0]], 'is not a quaternion'),
    ('goal_pose', 'nowhere', [POSE], "unknown frame 'nowhere': it is not a link of the robot"),
    ('goal_path', '', [POSE] * 10_001, 'at most 10000 poses, not 10001'),
    ('goal_path', '', [POSE, [*POSE[:3], 0.0, 0.0, 0.0, 0.0]], 'waypoint 2 of 2: the orientation'),
])
def test_an_invalid_goal_is_refused_with_what_is_allowed(here, topic, frame, poses, words):
    assert words in status_of(here, hostile.Numbers(topic, frame, (0, 0), poses))[0]


def test_a_quaternion_of_any_size_has_a_direction(here):
    before = here.refusals
    here.give(hostile.Numbers('goal_pose', '', (0, 0), [[*POSE[:3], 0.0, 0.0, 0.0, 1e300]]))
    assert here.refusals == before or 'quaternion' not in here.refused_statuses[0].message


@pytest.mark.parametrize('name', ['publish_rate', 'dls.max_step'])
def test_the_smallest_numbers_do_no_harm(here, name):
    here.give(hostile.Parameters([(name, 3, 5e-324)]))


@pytest.mark.parametrize(('name', 'kind', 'value', 'words'), [
    ('tip_link', 4, 'x' * 5000, 'must have at most 4096 characters, not 5000'),
    ('robot_description', 4, '/etc/passwd', 'is not XML'),
    ('robot_description', 4, '<!--' + 'x' * 2**23 + '--><robot/>',
     'must have at most 8388608 characters, not 8388623'),
    ('model_path', 4, '/dev/zero', 'it is not a regular file'),
    ('urdf_path', 4, '/dev/zero', 'it is not a regular file'),
    ('dh_path', 4, '/dev/zero', 'it is not a regular file'),
    ('poses', 4, '/dev/zero', 'it is not a regular file'),
    ('task_weights', 8, [0.5] * 20_000, 'must have 6 entries, not 20000'),
    ('xacro_args', 9, ['a:=1'] * 20_000, 'must have at most 10000 entries, not 20000'),
    ('dls.max_restarts', 2, 1_000_000_000, 'range'),
])
def test_parameters_of_any_size_are_refused_with_what_is_allowed(here, name, kind, value, words):
    before = here.refusals
    here.give(hostile.Parameters([(name, kind, value)]))
    assert here.refusals == before + 1
    assert words in here.reason


def test_an_arm_of_too_many_joints_is_refused(here):
    here.give(hostile.Description(chain(300)))
    assert 'has 299 joints; at most 200 are allowed' in here.reason


def test_invalid_names_of_arms_are_logged():
    with running('-p', "arms:=['left arm', 'left arm']", urdf_path=ARM) as node:
        assert 'must be different names, each of letters' in node.log()
        assert node.alive()


KINDS = pytest.mark.parametrize('kind', texts_that_name('x'))


@pytest.fixture
def secret(tmp_path):
    secret = tmp_path / 'secret.xacro'
    secret.write_text(chain(2))
    return secret


@pytest.fixture(scope='module')
def demo_goals():
    with NodeHere(make=DemoGoals, start=None) as node:
        yield node.subject


@KINDS
@pytest.mark.parametrize('source', ['topic', 'parameter'])
def test_a_description_that_names_a_file_is_refused_and_opens_none(here, source, kind, secret):
    text, before = texts_that_name(secret, here.urdf)[kind], here.refusals
    with opened_files() as opened:
        here.give(hostile.Description(text) if source == 'topic' else
                  hostile.Parameters([('robot_description', 4, text)]))
    assert not any(str(secret) in name for name in opened)
    assert here.refusals == before + 1


@KINDS
def test_demo_goals_refuses_such_a_description_and_keeps_its_robot(demo_goals, kind, secret):
    demo_goals._on_description(String(data=chain(4)))
    path = demo_goals._path
    own = ClosedPath(KinematicTree.from_urdf(chain(4)).chain())
    assert path(0.2)[''] == pytest.approx(own.pose(0.2))
    with opened_files() as opened:
        demo_goals._on_description(String(data=texts_that_name(secret)[kind]))
    assert not any(str(secret) in name for name in opened)
    assert demo_goals._path is path
