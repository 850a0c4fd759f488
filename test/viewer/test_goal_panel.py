import shlex

import numpy as np
import pytest
import yaml

import robots
from harness.fake_node import FakeNode
from harness.page_here import page_of, page_with, robot_view_of
from ik_node import KinematicTree
from ik_node.spatial import inverse, pose_from_rpy, rpy_from_matrix

XYZ, RPY = ('x, m', 'y, m', 'z, m'), ('roll, °', 'pitch, °', 'yaw, °')


def shown(page, *labels):
    """Return the numbers of fields of the goal."""
    return [float(page.widget('Goal', label).value) for label in labels]


@pytest.fixture
def page():
    """The page of an arm whose base is not at the origin, nor along its axes."""
    node = FakeNode(arms=('left',), model_path=str(robots.OWN / 'torso.urdf'),
                    left__base_link='torso_link', left__tip_link='left_tool0')
    with page_of(node, arm='left') as made:
        node.stand({'lift_joint': 0.2, 'waist_joint': 0.7})
        made.settle()
        yield made


def goal(page):
    """Return the pose of the handle in the frame of the base."""
    return inverse(page.robot_view.pose('torso_link')) @ page.handle().T


def sent(page):
    return page.node.sent[-1][2]


def test_the_goal_is_shown_in_the_frame_of_the_base_in_degrees(page):
    T = goal(page)
    assert np.abs(page.robot_view.pose('torso_link') - np.eye(4)).max() > 0.1
    assert shown(page, *XYZ) == pytest.approx(T[:3, 3], abs=1e-4)
    assert shown(page, *RPY) == pytest.approx(np.degrees(rpy_from_matrix(T[:3, :3])), abs=0.01)


@pytest.mark.parametrize(('typed', 'x'), [
    ('-0.25', -0.25), ('170 mm', 0.17), ('0.001', 0.001), ('1e-3', 1e-3), ('.5', 0.5)])
def test_what_is_typed_is_a_goal_once_it_is_committed_and_the_rest_stays_as_it_is(page, typed, x):
    wanted, before = goal(page), len(page.node.sent)
    for k in range(1, len(typed) + 1):  # key by key
        page.choose('Goal', 'x, m', value=typed[:k])
    assert page.node.sent[before:] == []
    page.enter('Goal', 'x, m')
    wanted[0, 3] = x
    assert sent(page) == pytest.approx(wanted, abs=1e-12)
    for label, value in zip(RPY, ('0', '0.2 rad', '30')):
        page.choose('Goal', label, value=value)
    page.press('Goal', 'Go')
    wanted[:3, :3] = pose_from_rpy((0.0, 0.0, 0.0), (0.0, 0.2, np.pi / 6.0))[:3, :3]
    assert sent(page) == pytest.approx(wanted, abs=1e-9)
    assert [one[0] for one in page.node.sent[before:]] == ['goal', 'goal']


def test_a_field_in_use_is_not_overwritten_and_escape_takes_back_what_was_typed(page):
    page.choose('Goal', 'x, m', value='-0.')
    page.stand({'waist_joint': 0.2})  # the handle moves
    assert page.widget('Goal', 'x, m').value == '-0.'
    assert shown(page, 'y, m') == pytest.approx([goal(page)[1, 3]], abs=1e-4)
    page.choose('Goal', 'x, m', value='\x1b')
    assert shown(page, 'x, m') == pytest.approx([goal(page)[0, 3]], abs=1e-4)
    page.choose('Goal', 'x, m', value='-7')
    page.drag(page.handle().T)  # which is what the user wants now
    assert shown(page, 'x, m') == pytest.approx([goal(page)[0, 3]], abs=1e-4)


def test_an_arm_that_leaves_the_rotation_about_one_axis_free_takes_every_orientation():
    with page_with('arm_6r', task_weights=[1.0, 1.0, 1.0, 1.0, 0.0, 1.0]) as page:
        for label in RPY:
            count = len(page.node.sent)
            page.type('Goal', label, value='12.5')
            assert len(page.node.sent) == count + 1
        assert page.told == []
        assert np.degrees(rpy_from_matrix(sent(page)[:3, :3])) == pytest.approx([12.5] * 3)


def test_of_several_fields_none_is_lost_where_one_is_wrong(page):
    before = len(page.node.sent)
    for label, text in (('x, m', '0.3'), ('y, m', '25 cm'), ('z, m', '0,6')):
        page.choose('Goal', label, value=text)
    page.press('Goal', 'Go')
    assert page.node.sent[before:] == []
    assert page.told[0].startswith('z must be a number')
    assert [page.widget('Goal', label).value for label in XYZ] == ['0.3', '25 cm', '0,6']
    page.type('Goal', 'z, m', value='0.6')
    assert sent(page)[:3, 3] == pytest.approx([0.3, 0.25, 0.6], abs=1e-9)


def test_a_value_that_is_there_already_is_shown_as_all_are(page):
    (x,) = shown(page, 'x, m')
    page.type('Goal', 'x, m', value=f'{1e3 * x:.1f} mm')
    assert page.widget('Goal', 'x, m').value == f'{x:.4f}'


@pytest.mark.parametrize(('robot', 'weights', 'label'), [
    ('planar_3r', {}, 'z, m'), ('planar_3r', {}, 'roll, °'), ('planar_3r', {}, 'pitch, °'),
    ('arm_6r', {'task_weights': [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]}, 'pitch, °'),
    ('arm_6r', {}, 'yaw, °')])
def test_what_the_arm_does_not_serve_is_refused_and_nothing_is_sent(robot, weights, label):
    with page_with(robot, **weights) as page:
        page.choose('Goal', 'position only', value=label == 'yaw, °')
        before, sent = shown(page, label), list(page.node.sent)
        page.type('Goal', label, value='2.5')
        assert page.node.sent == sent
        assert page.told[0].startswith(f'{label.split(",")[0]} of the goal cannot be set')
        assert shown(page, label) == before


def test_axes_that_the_arm_serves_are_those_of_its_tip_however_that_is_turned():
    text = (robots.OWN / 'planar_3r.urdf').read_text()
    base = KinematicTree.from_urdf(robots.OWN / 'planar_3r.urdf').root
    upright = text.replace('</robot>', (
        f'<link name="wall"/><joint name="screws" type="fixed"><parent link="wall"/><child '
        f'link="{base}"/><origin rpy="{np.pi / 2.0} 0 0"/></joint></robot>'))
    with page_of(FakeNode(robot_description=upright)) as page:
        page.stand([0.3, 0.4, 0.5])
        x, y, z = shown(page, *XYZ)
        page.type('Goal', 'z, m', value=f'{z - 0.1:.4f}')
        assert page.told == []
        assert sent(page)[:3, 3] == pytest.approx([x, y, z - 0.1], abs=1e-4)
        count = len(page.node.sent)
        page.type('Goal', 'y, m', value='0.1')
        assert page.told[0].startswith('y of the goal cannot be set')
        assert len(page.node.sent) == count


@pytest.mark.parametrize('typed', ['1..2', '-', '3 feet', 'nan', '1e999', '0,5'])
def test_what_is_no_number_is_refused_with_the_reason(page, typed):
    before = len(page.node.sent)
    page.type('Goal', 'x, m', value=typed)
    assert page.node.sent[before:] == []
    assert len(page.told) == 1
    assert page.told[0].startswith('x must be a number')
    assert page.browser.colors == ['red']
    assert shown(page, 'x, m') == pytest.approx([goal(page)[0, 3]], abs=1e-4)


def test_a_goal_is_taken_back_and_sent_again(page):
    q, T = page.q(), page.handle().T.copy()
    T[2, 3] -= 0.02
    page.drag(T)
    after = page.q()
    page._fire(page.widget('Goal', 'x, m'))
    page.undo()
    assert page.q() == pytest.approx(q, abs=1e-9)
    assert not page.handle().is_dragged
    page.redo()
    assert page.q() == pytest.approx(after, abs=1e-4)
    assert page.handle().T == pytest.approx(T, abs=1e-9)


def test_the_command_sends_the_goal_in_the_domain_of_the_page(page, monkeypatch):
    T = goal(page)
    monkeypatch.setenv('ROS_DOMAIN_ID', '73')
    monkeypatch.delenv('ROS_AUTOMATIC_DISCOVERY_RANGE', raising=False)
    page.choose('Goal', 'position only', value=True)
    *command, message = shlex.split(page.command())
    assert command == ['ROS_DOMAIN_ID=73', 'ros2', 'topic', 'pub', '--once', '/left/goal_point',
                       'geometry_msgs/PointStamped']
    assert list(yaml.safe_load(message)['point'].values()) == pytest.approx(T[:3, 3], abs=1e-4)
    page.choose('Goal', 'position only', value=False)
    *command, message = shlex.split(page.command())
    assert command[-2:] == ['/left/goal_pose', 'geometry_msgs/PoseStamped']
    pose = yaml.safe_load(message)['pose']
    assert list(pose['position'].values()) == pytest.approx(T[:3, 3], abs=1e-4)
    assert np.linalg.norm(list(pose['orientation'].values())) == pytest.approx(1.0, abs=1e-5)


def test_the_command_has_no_sign_at_zero():
    with page_with('arm_6r') as page:
        T = page.handle().T
        T[1, 3] = -1e-6
        page.drag(T)
        assert 'y: 0.0000,' in page.command()


def test_the_handle_goes_back_to_the_tip(page):
    T = page.handle().T.copy()
    T[0, 3] += 9.0
    page.drag(T)
    page.press('Goal', 'Handle to tip')
    assert page.handle().T == pytest.approx(page.robot_view.pose('left_tool0'), abs=1e-5)


def test_without_the_name_of_one_of_several_arms_there_is_no_goal(page):
    other = robot_view_of(page.server, page.node, 'other')
    other.fetch_parameters()
    other.paint()
    assert other.targets == ()
    assert other.problems == ['the node has several arms; choose one of left with --arm']


def test_the_command_is_of_the_last_goal_once_the_handle_rests(page):
    def z():
        message = shlex.split(page.command())[-1]
        return yaml.safe_load(message)['pose']['position']['z']
    page.settle()
    first = z()
    for k in range(3):
        T = page.handle().T.copy()
        T[2, 3] -= 0.01
        page.drag_on(T, phase='update')
        page.update()
        assert z() == first
        assert shown(page, 'z, m') == pytest.approx([first - 0.01 * (k + 1)], abs=1e-4)
    page.update()
    assert z() == pytest.approx(first - 0.03, abs=1e-4)


def test_one_message_is_shown_until_a_later_step_succeeds(page):
    for text in 'abc', 'def':
        page.type('Goal', 'x, m', value=text)
    assert len(page.told) == 2
    assert page.browser.messages == page.told[1:]
    page.type('Goal', 'x, m', value='0.35')
    assert page.browser.messages == []
