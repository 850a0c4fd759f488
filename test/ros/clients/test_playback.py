"""A recorded motion is published as joint states: ik_play."""

import signal

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import robots
import skeletons
from harness.player_harness import PlayerHere, PlayerUnderTest
from harness.ros_harness import LATCHED, seconds
from ik_node import KinematicTree
from ik_node.model.readers import read_model
from ik_node.ros.clients import playback
from ik_node.ros.clients.playback import read_arguments

LIMIT = 'lower="-2" upper="2" effort="1" velocity="1"'
# The wheel shows the time of the motion.
ROBOT = robots.robot(
    robots.joint('wheel', 'continuous', 'base', 'lw'),
    robots.joint('a', 'revolute', 'lw', 'la', limit=LIMIT),
    robots.joint('b', 'revolute', 'la', 'lb', limit=LIMIT,
                 mimic='joint="a" multiplier="-0.5" offset="0.25"'),
    robots.joint('c', 'revolute', 'lb', 'lc', limit='lower="1" upper="2" effort="1" velocity="1"'))
TIMES = np.arange(0.0, 100.5, 0.5)
VALUES = 1.9 * np.sin(TIMES)
EXACT = 1e-9


def table(times=TIMES, values=VALUES):
    return 'time,wheel,a\n' + ''.join(f'{float(t)!r},{float(t)!r},{float(a)!r}\n'
                                      for t, a in zip(times, values))


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('files')
    (folder / 'robot.urdf').write_text(ROBOT)
    (folder / 'motion.csv').write_text(table())
    return folder / 'robot.urdf', folder / 'motion.csv'


@pytest.fixture(scope='module')
def shared(files):
    """A paused player at 25 Hz; each test begins with `paused`."""
    with PlayerHere(*files, '--rate', 25, '--start-paused') as player:
        yield player


@pytest.fixture
def player(shared):
    shared.pause(True)
    assert shared.set(time=0.0, speed=1.0, loop=False) == (True, '')
    shared.settle()
    del shared.states[:], shared.statuses[:]
    return shared


def wheel(state):
    """Return the time of the motion in a joint state, s."""
    return state.position[list(state.name).index('wheel')]


def check_values(states):
    """Every state has all joints, at the values of the frames around its time."""
    for state in states:
        assert list(state.name) == ['wheel', 'a', 'b', 'c']
        a = np.interp(wheel(state), TIMES, VALUES)
        assert list(state.position) == pytest.approx(
            [wheel(state), a, 0.25 - 0.5 * a, 1.5], abs=EXACT)


def test_joint_states_come_at_the_rate_with_the_values_of_their_stamps(player):
    assert player.pause(False).startswith('playing at 0.0')
    states = player.hear(60)
    check_values(states)
    stamps = np.array([seconds(state.header.stamp) for state in states])
    assert np.diff(stamps) == pytest.approx(0.04, abs=1e-3)
    assert np.diff([wheel(state) for state in states]) == pytest.approx(np.diff(stamps), abs=1e-6)
    assert wheel(states[-1]) > wheel(states[0]) > 0.0


def test_the_description_is_that_of_the_tree_and_comes_late_too(player):
    heard = player.listen(String, 'robot_description', LATCHED)
    assert player.until(lambda: heard)
    assert heard[0].data == KinematicTree.from_urdf(ROBOT).to_urdf()


def test_paused_joint_states_stand_and_go_on_from_there(player):
    player.pause(False)
    player.hear(10)
    text = player.pause(True)
    states = player.hear(10)
    stood = wheel(states[0])
    assert text == f'paused at {stood:.3f} s'
    assert {wheel(state) for state in states} == {stood}
    stamps = [seconds(state.header.stamp) for state in states]
    assert (np.diff(stamps) > 0.0).all()
    assert player.status()[0] == 'paused'
    before = len(player.states)
    player.pause(False)
    states = [*player.states[before:], *player.hear(10)]
    assert stood <= wheel(states[0]) < stood + 0.6
    check_values(states)


def test_the_status_says_how_far_the_motion_is(player):
    assert player.set(time=1.75, loop=True, speed=0.5)[0]
    message, values = player.status()
    assert message == 'paused'
    expected = {'time': '1.75', 'start': '0', 'stop': '100', 'duration': '100', 'frame': '4',
                      'frames': '201', 'speed': '0.5', 'loop': 'true', 'paused': 'true'}
    assert list(values.items()) == list(expected.items())  # always all of them, in this order
    player.pause(False)
    message, values = player.status()
    assert message == 'playing'
    assert float(values['time']) >= 1.75
    times = []
    for _ in range(4):
        player.status()
        times.append(player.now)
    assert np.diff(times) == pytest.approx(0.2, abs=1e-3)


@pytest.mark.parametrize(('values', 'words'), [
    ({'time': -1.0}, 'time'), ({'time': 100.5}, '100'), ({'time': float('nan')}, 'time'),
    ({'time': 'end'}, "time must be a number of at least 0 and at most 100 (s), not 'end'"),
    ({'speed': 0.0}, 'speed must be a number above 0 and at most 100, not 0.0'),
    ({'speed': -1.0}, 'speed'), ({'speed': 1e3}, 'speed'), ({'speed': 'fast'}, 'speed must be'),
    ({'loop': 1}, 'loop must be true or false, not 1'),
    ({'time': 5.0, 'speed': 0.0}, 'speed must be'),
], ids=str)
def test_wrong_parameters_are_refused_with_a_reason_and_the_old_ones_stand(player, values, words):
    before = player.get('time', 'speed', 'loop')
    successful, reason = player.set(**values)
    assert not successful
    assert words in reason
    assert player.get('time', 'speed', 'loop') == before
    assert wheel(player.hear()[0]) == 0.0
    assert player.alive()


def test_a_range_is_played_again_and_again_or_held_at_its_end(files):
    with PlayerHere(*files, '--from', 2.0, '--to', 2.4, '--rate', 100,
                         '--loop', '--speed', 2) as player:
        assert player.until(lambda: (np.diff([wheel(state) for state in player.states])
                                     < 0.0).sum() >= 5), player.log()
        assert all(2.0 <= wheel(state) < 2.4 for state in player.states)
        check_values(player.states)
        assert player.get('time', 'speed', 'loop') == [2.0, 2.0, True]
        values = player.status()[1]
        assert (values['start'], values['stop'], values['duration']) == ('2', '2.4', '100')
        assert not player.set(time=1.9)[0]
        assert player.set(loop=False)[0]
        assert player.until(lambda: wheel(player.states[-1]) == 2.4)
        assert {wheel(state) for state in player.hear(20)} == {2.4}
        assert player.status()[0] == 'ended'
        assert player.set(time=2.1)[0]
        assert player.until(lambda: 2.1 <= wheel(player.states[-1]) < 2.4)
        assert player.until(lambda: wheel(player.states[-1]) == 2.4)
        assert player.alive()


def test_a_figure_moves_with_its_root_and_frames_outside_limits_are_reported_once(tmp_path):
    frames = [skeletons.random_values(np.random.default_rng(seed)) for seed in range(3)]
    (tmp_path / 'figure.asf').write_text(skeletons.FIGURE)
    (tmp_path / 'walk.amc').write_text(skeletons.motion(frames))
    tree = read_model(skeletons.FIGURE)
    with PlayerHere(tmp_path / 'figure.asf', tmp_path / 'walk.amc', '--fps', 2.0, '--loop',
                         '--start-paused', '--topic', 'recorded') as player:
        states = player.listen(JointState, 'recorded', 100)
        for k, numbers in enumerate(frames):
            assert player.set(time=0.5 * k)[0]
            p = skeletons.positions(numbers)
            assert player.until(lambda wanted=p: states and tree.forward(dict(zip(
                states[-1].name, states[-1].position)))['foot'][:3, 3] == pytest.approx(
                    wanted['foot'], abs=1e-9)), player.log()
        assert list(states[-1].name) == [joint.name for joint in tree.joints.values()
                                         if joint.moves]
        assert 'root_tx' in states[-1].name
        player.pause(False)
        assert player.until(lambda: len(states) > 100)
        assert player.log().count('3 of 3 frames exceed limits') == 1
        assert player.states == []
        assert player.alive()


def test_it_plays_by_simulated_time_which_may_stand_and_jump(files):
    with PlayerHere(*files, '--rate', 50, time=0.0) as player:

        def advance(time):
            """Set the time; return the motion's time in the joint state with its stamp."""
            player.set_time(time, stands=True)
            assert player.set(speed=1.0)[0]  # a change is published at once
            assert seconds(player.states[-1].header.stamp) == pytest.approx(time, abs=1e-6)
            return wheel(player.states[-1])
        player.spin(1.0)
        assert player.states == []  # there is no time yet
        assert player.set(time=1.0)[0]
        assert player.states == []
        assert advance(1000.0) == 1.0
        assert advance(1000.2) == pytest.approx(1.2)
        player.spin(1.0)
        assert wheel(player.states[-1]) == pytest.approx(1.2)  # the clock stands
        assert advance(1300.0) == pytest.approx(1.7)  # half a second at most
        assert advance(50.0) == pytest.approx(1.7)  # set back
        before = len(player.states)
        for k in range(1, 51):  # and timers go on
            player.set_time(50.0 + 0.1 * k, stands=True)
        assert len(player.states) > before + 20
        check_values(player.states)
        assert advance(55.0) == pytest.approx(6.7)
        assert player.alive()


@pytest.mark.slow  # a process over DDS
@pytest.mark.parametrize('how', [signal.SIGINT, signal.SIGTERM], ids=lambda how: how.name)
def test_it_ends_quietly(files, how):
    with PlayerUnderTest(*files) as player:
        player.hear(3)
        assert player.stop(how) == 0
        lines = player.log().splitlines()
        assert len(lines) == 1, lines
        assert 'playing' in lines[0]


@pytest.fixture
def problem(monkeypatch, capfd):
    """Return what calls the command, which is to fail, and returns the line it prints."""
    monkeypatch.setattr(playback, 'end_quietly', lambda: None)  # of a process of its own

    def call(*arguments):
        assert playback.main([*map(str, arguments)]) == 2
        lines = capfd.readouterr().err.splitlines()
        assert len(lines) == 1, lines
        assert lines[0].startswith('ik_play: ')
        return lines[0]
    return call


@pytest.mark.parametrize(('name', 'text', 'more', 'words'), [
    ('none.csv', None, (), "cannot read the motion '"),
    ('m.csv', 'time,wheel\n0,0\n1,x\n', (), "m.csv', line 3: 'wheel' must be a number"),
    ('m.csv', 'time,spoke\n0,0\n', (), "there is no joint 'spoke'; there is 'wheel', 'a', 'c'"),
    ('m.yaml', 'joint_names: [a]\npoints: [{positions: [x]}]\n', (), r"points[0].positions[0]"),
    ('m.yaml', 'a: [\n', (), 'is not YAML'),
    ('m.amc', '1\n', (), 'a motion needs the skeleton that it was recorded with'),
    ('m.txt', '', (), 'of no known kind'),
    ('m.csv', 'time,a\n0,0\n1,0\n', ('--to', 2), '--to must be at most 1 s'),
    ('m.csv', 'time,a\n0,0\n1,0\n', ('--from', 1), '--from must be before 1 s'),
])
def test_what_cannot_be_played_is_one_line_and_exit_code_1(problem, files, tmp_path, name, text,
                                                           more, words):
    if text is not None:
        (tmp_path / name).write_text(text)
    assert words in problem(files[0], tmp_path / name, *more)


@pytest.mark.parametrize('topic', ['a b', 'a//b', '{place}', '/parameter_events', '~/status',
                                   'robot_description'])
def test_so_is_a_topic_that_is_none_or_has_another_type(problem, files, topic):
    assert f"the topic '{topic}' is not a valid name, or has" in problem(*files, '--topic', topic)


def test_so_is_a_robot_that_cannot_be_read(problem, files, tmp_path):
    (tmp_path / 'bad.urdf').write_text('<robot>')
    assert 'bad.urdf' in problem(tmp_path / 'bad.urdf', files[1])
    assert "no robot 'nobody'" in problem('nobody', files[1])


@pytest.mark.parametrize(('arguments', 'words'), [
    (['robot'], 'MOTION'), (['a', 'b', '--rate', '1'], 'must be a number from 5 to 1000, not'),
    (['a', 'b', '--speed', '0'], 'number from 0.001 to 100'), (['a', 'b', '--fps', 'x'], 'fps'),
    (['a', 'b', '--from', '-1'], 'at least 0'), (['a', 'b', '--to', 'nan'], 'at least 0'),
    (['a', 'b', '--backwards'], 'unrecognized')])
def test_wrong_arguments_end_it_with_status_2(arguments, words, capsys):
    with pytest.raises(SystemExit) as ended:
        read_arguments(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err
