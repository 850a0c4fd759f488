"""A robot description that comes by topic or parameter opens no file, whoever takes it."""

import pytest
from std_msgs.msg import String

import hostile_inputs as hostile
from hostile_node import HostileNode
from hostile_texts import chain, texts_that_name
from ik_node import KinematicTree
from ik_node.motion.tip_path import ClosedPath
from ik_node.ros.clients.demo_goals import DemoGoals
from node_here import NodeHere
from opened_files import opened_files

KINDS = pytest.mark.parametrize('kind', texts_that_name('x'))


@pytest.fixture
def secret(tmp_path):
    secret = tmp_path / 'secret.xacro'
    secret.write_text(chain(2))
    return secret


@pytest.fixture(scope='module')
def here():
    with HostileNode() as node:
        yield node


@pytest.fixture(scope='module')
def demo_goals():
    with NodeHere(make=DemoGoals, start=None) as node:
        yield node.subject


@KINDS
@pytest.mark.parametrize('source', ['topic', 'parameter'])
def test_the_node_refuses_it_and_goes_on(here, source, kind, secret):
    text, before = texts_that_name(secret, here.urdf)[kind], here.refusals
    with opened_files() as opened:
        here.give(hostile.Description(text) if source == 'topic' else
                  hostile.Parameters([('robot_description', 4, text)]))
    assert not any(str(secret) in name for name in opened)
    assert here.refusals == before + 1


@KINDS
def test_demo_goals_refuses_it_and_keeps_the_robot_it_had(demo_goals, kind, secret):
    demo_goals._on_description(String(data=chain(4)))
    path = demo_goals._path
    own = ClosedPath(KinematicTree.from_urdf(chain(4)).chain())
    assert path(0.2)[''] == pytest.approx(own.pose(0.2))
    with opened_files() as opened:
        demo_goals._on_description(String(data=texts_that_name(secret)[kind]))
    assert not any(str(secret) in name for name in opened)
    assert demo_goals._path is path
