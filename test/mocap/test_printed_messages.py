"""Motions from printed ROS messages: several trajectories, sequences of joint states, errors."""

import numpy as np
import pytest
import yaml

import robots
from ik_node import KinematicTree, ModelError
from ik_node.mocap.recording_files import read_recording

LIMIT = 'lower="-4" upper="4" effort="1" velocity="1"'
TREE = KinematicTree.from_urdf(robots.robot(
    robots.joint('a', 'revolute', 'base', 'la', limit=LIMIT),
    robots.joint('b', 'revolute', 'la', 'lb', limit=LIMIT),
    robots.joint('wheel', 'continuous', 'lb', 'lw')))
LOST = 'A message was lost!!!\n\ttotal count change:1\n\ttotal count: 1---\n'  # as ROS prints it
EXACT = 1e-9


def read(text, folder):
    file = folder / 'motion.yaml'
    file.write_text(text)
    return read_recording(file, TREE)


def printed(*messages):
    """Return messages as `ros2 topic echo` prints them."""
    return ''.join(f'{yaml.safe_dump(message, sort_keys=False)}---\n' for message in messages)


def header(time):
    sec, nanosec = divmod(round(1e9 * time), 10**9)
    return {'stamp': {'sec': sec, 'nanosec': nanosec}, 'frame_id': ''}


def state(time, **positions):
    return {'header': header(time), 'name': list(positions), 'position': list(positions.values()),
            'velocity': [], 'effort': []}


def trajectory(points, stamp=0.0, joint_names=('a', 'b')):
    """Return a JointTrajectory; points: {time from start: positions}."""
    return {'header': header(stamp), 'joint_names': list(joint_names), 'points': [
        {'positions': list(positions), 'velocities': [], 'accelerations': [], 'effort': [],
         'time_from_start': header(time)['stamp']} for time, positions in points.items()]}


def test_joint_states_are_frames_at_their_stamps(tmp_path):
    stamps = 1.7e9 + np.array([0.25, 0.5, 1.0, 1.0625])
    values = np.array([[0.1, -0.5], [0.2, -0.25], [0.3, 0.0], [0.25, 0.125]])
    found = read(printed(*(state(t, b=b, a=a) for t, (a, b) in zip(stamps, values.tolist()))),
                 tmp_path)
    assert found.joint_names == ('b', 'a')
    assert found.times == pytest.approx([0.0, 0.25, 0.75, 0.8125], abs=1e-6)
    assert found.values.tolist() == values[:, ::-1].tolist()


def test_one_joint_state_is_a_motion_of_one_frame(tmp_path):
    found = read(printed(state(3.0, a=0.5)), tmp_path)
    assert (found.n_frames, found.values.tolist()) == (1, [[0.5]])


def test_several_publishers_may_have_some_of_the_joints_each(tmp_path):
    found = read(printed(state(1.0, a=0.0), state(1.5, b=1.0), state(1.4, a=0.4),
                         state(2.0, a=1.0), state(2.0, b=2.0)), tmp_path)
    assert found.joint_names == ('a', 'b')
    assert found.times == pytest.approx([0.0, 0.4, 0.5, 1.0], abs=EXACT)
    assert found.values == pytest.approx(np.array(
        [[0.0, 1.0], [0.4, 1.0], [0.5, 1.0], [1.0, 2.0]]), abs=EXACT)


def test_a_continuous_joint_turns_in_the_shorter_direction_between_its_messages(tmp_path):
    found = read(printed(state(0.0, wheel=3.0), state(0.5, a=1.0), state(1.0, wheel=-3.0)),
                 tmp_path)
    assert found.at(0.5)[found.joint_names.index('wheel')] == pytest.approx(np.pi, abs=EXACT)


def test_trajectories_with_stamps_replace_what_comes_later_in_those_before(tmp_path):
    found = read(printed(
        trajectory({0.0: [0, 0], 1.0: [1, 1], 2.0: [2, 2]}, 100.0),
        trajectory({0.5: [5, 6], 1.5: [7, 8]}, 101.0, ['b', 'a'])), tmp_path)
    assert found.times.tolist() == [0.0, 1.0, 1.5, 2.5]
    assert found.values.tolist() == [[0, 0], [1, 1], [6, 5], [8, 7]]


def test_trajectories_without_stamps_follow_each_other(tmp_path):
    found = read(printed(trajectory({0.5: [0, 0], 1.0: [1, 1]}),
                         trajectory({0.0: [1.5, 1], 0.5: [2, 2]})), tmp_path)
    assert found.times.tolist() == [0.0, 0.5, 1.0]
    assert found.values.tolist() == [[0, 0], [1.5, 1], [2, 2]]


def test_the_stamp_of_a_single_trajectory_does_not_count(tmp_path):
    assert read(printed(trajectory({1.0: [0, 0], 3.0: [1, 1]}, 77.0)),
                tmp_path).times.tolist() == [0.0, 2.0]


def test_notes_of_ros_between_messages_are_skipped_and_lines_still_count(tmp_path):
    note = 'WARNING: topic [/joint_states] does not appear to be published yet\n'
    first, second = printed(state(1.0, a=0.0)), printed(state(2.0, a=1.0))
    assert read(note + first + LOST + second + '\n', tmp_path).n_frames == 2
    wrong = note + first + LOST + 'header: [\n'
    with pytest.raises(ModelError, match=f'line {wrong.count(chr(10)) + 1}'):
        read(wrong, tmp_path)


@pytest.mark.parametrize(('messages', 'words'), [
    ([state(1, a=0), state(1, a=1)], r'message 2 from line 13: header.stamp must be later than '
     r'that of the message of the same joints before, 1.0+ s, not 1.0+ s'),
    ([state(0, a=0), state(0, a=1)], 'header.stamp must be later'),
    ([state(1, a=0), state(2, c=1)], r"message 2 .*name\[0\]: there is no joint 'c'"),
    ([state(1, a=0), {**state(2, a=1), 'position': []}],
     'message 2 from line 13: position must have 1 values, one for each joint, not 0'),
    ([state(1, a=0), state(2, a='x')], r"position\[0\], of 'a', must be a number"),
    ([{**state(1, a=0), 'name': ['a', 'a'], 'position': [0, 0]}], r'name\[1\] must be'),
    ([{**state(1, a=0), 'name': [['a']]}], r'name\[0\] must be'),
    ([{**state(1, a=0), 'name': [], 'position': []}], 'at least one joint must be named'),
    ([{**state(1, a=0), 'header': None}], 'header must be a mapping'),
    ([{**state(1, a=0), 'header': {'stamp': {'sec': -1}}}], 'header.stamp.sec must be a whole'),
    ([{**state(1, a=0), 'positions': []}], "there is no key 'positions'.*'position'"),
    ([{**state(1, a=0), 'name': ['a', '...']}], r'name\[1\]: .* --full-length'),
    ([state(1, a=0), trajectory({0: [0, 0]})], "message 2 .*no key 'joint_names'"),
    ([trajectory({0: [0, 0]}), state(1, a=0)], "message 2 .*no key 'name'"),
    ([trajectory({0: [0, 0]}), trajectory({0: [0]}, joint_names=['a'])],
     "joint_names must be those of the first message, 'a', 'b', in any order"),
    ([trajectory({0: [0, 0]}, 5), trajectory({0: [0, 0]}, 4)], 'must not be before that of'),
    ([trajectory({0: [0, 0]}, 5), trajectory({0: [0, 0]})], 'be 0 in all messages or in none'),
    ([trajectory({0: [0, 0]}), trajectory({1: [0, 0], 0: [1, 1]})],
     r'message 2 from line 20: points\[1\].time_from_start must be later'),
    ([trajectory({0: [0, 0]}), None], 'message 2 .* must be a mapping'),
], ids=lambda value: None if isinstance(value, list) else value[:30])
def test_an_error_names_the_message_and_its_entry(messages, words, tmp_path):
    with pytest.raises(ModelError, match=words) as error:
        read(printed(*messages), tmp_path)
    assert "motion.yaml'" in str(error.value)
