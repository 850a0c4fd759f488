"""Recorded motions: what files say, interpolation, limits, and malformed files."""

import math
import pickle
import re

import numpy as np
import pytest
import yaml

import robots
import skeletons
from ik_node import IkError, KinematicTree, ModelError
from ik_node.mocap import recording as recording_module
from ik_node.mocap import recording_files
from ik_node.mocap.recording import Recording
from ik_node.mocap.recording_files import (
    RECORDING_FORMATS,
    RECORDING_KINDS,
    read_recording,
)
from ik_node.model.readers import read_model
from ik_node.support.exceptions import InputError
from opened_files import opened_files

LIMIT = 'lower="-2" upper="2" effort="1" velocity="1"'
TREE = KinematicTree.from_urdf(robots.robot(
    robots.joint('a', 'revolute', 'base', 'la', limit=LIMIT),
    robots.joint('wheel', 'continuous', 'la', 'lw'),
    robots.joint('lift', 'prismatic', 'lw', 'll',
                 limit='lower="0.1" upper="0.5" effort="1" velocity="1"'),
    robots.joint('finger', 'prismatic', 'll', 'lf',
                 limit='lower="-1" upper="0.3" effort="1" velocity="1"',
                 mimic='joint="lift" multiplier="-0.5" offset="0.02"'),
    robots.joint('gear', 'continuous', 'lf', 'lg',
                 mimic='joint="wheel" multiplier="0.5" offset="0.1"'),
    robots.joint('t', 'fixed', 'lg', 'tip')))
OWN = ['a', 'wheel', 'lift']
MOVING = ('a', 'wheel', 'lift', 'finger', 'gear')
FIGURE = read_model(skeletons.FIGURE)


def write(text, folder, name):
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def csv_text(times, values, joint_names=OWN):
    rows = [f'{float(t)!r}, ' + ', '.join(repr(float(value)) for value in row)
            for t, row in zip(times, values)]
    return f'time, {", ".join(joint_names)}\n' + '\n'.join(rows) + '\n'


def message(times, values, joint_names=OWN):
    """Return a JointTrajectory as ROS converts it to plain values."""
    return {
        'header': {'stamp': {'sec': 5, 'nanosec': 6}, 'frame_id': ''},
        'joint_names': list(joint_names),
        'points': [{
            'positions': [float(value) for value in row], 'velocities': [], 'accelerations': [],
            'effort': [], 'time_from_start': dict(zip(('sec', 'nanosec'), divmod(
                round(1e9 * t), 10**9)))} for t, row in zip(times, values)]}


def wave(m=9, step=0.125):
    """Return times (m,), s, and values (m, 3) of the joints OWN by formulas."""
    t = step * np.arange(m)
    return t, np.column_stack([np.sin(3.0 * t), 2.5 * np.sin(t), 0.3 + 0.1 * np.cos(t)])


def test_a_table_is_read_as_it_stands(tmp_path):
    file = write('\ufeff# made by hand\r\nTime,"wheel", a\r\n\r\n10.5,0.25,-1e-1\r\n'
                 '# between\r\n11.0, 0.5 ,+0.3', tmp_path, 'a.CSV')
    found = read_recording(file, TREE)
    assert found.joint_names == ('wheel', 'a')
    assert found.times.tolist() == [0.0, 0.5]
    assert found.values.tolist() == [[0.25, -0.1], [0.5, 0.3]]
    assert (found.duration, found.n_frames) == (0.5, 2)
    assert 'a.CSV' in repr(found)
    file = write('time,a\n1700000000.25,0\n1700000000.75,1\n', tmp_path, 'a.csv')  # from 1970
    assert read_recording(file, TREE).times.tolist() == [0.0, 0.5]


@pytest.mark.parametrize('end', ['', '---\n', '---'])
@pytest.mark.parametrize('extension', ['yaml', 'yml'])
def test_a_trajectory_is_read_as_ros_prints_it(end, extension, tmp_path):
    times, values = wave()
    text = yaml.safe_dump(message(times + 1.0, values), sort_keys=False) + end
    found = read_recording(write(text, tmp_path, f'a.{extension}'), TREE)
    assert found.joint_names == tuple(OWN)
    assert found.times == pytest.approx(times, abs=1e-9)
    assert found.values.tolist() == values.tolist()


@pytest.mark.parametrize('fps', [120.0, 60, 29.97])
def test_an_acclaim_motion_has_frames_of_equal_duration(fps, tmp_path):
    frames = [skeletons.random_values(np.random.default_rng(seed)) for seed in range(4)]
    file = write(skeletons.motion(frames), tmp_path, 'walk.amc')
    found = read_recording(file, FIGURE) if fps == 120.0 else read_recording(file, FIGURE, fps)
    assert found.times == pytest.approx(np.arange(4) / fps)
    assert set(found.joint_names) == set(found.moving_joints)
    for k, numbers in enumerate(frames):
        T = FIGURE.forward(dict(zip(found.moving_joints, found.positions(found.times[k]))))
        for bone, p in skeletons.positions(numbers).items():
            assert T[bone][:3, 3] == pytest.approx(p, abs=1e-9)


def test_an_acclaim_motion_may_say_its_rate_and_fps_counts_before_it(tmp_path):
    file = write(':Samples-Per-Second 60\n:FULLY-SPECIFIED\n:DEGREES\n' + skeletons.motion(
        [skeletons.random_values(np.random.default_rng(0))] * 3).split(':DEGREES\n', 1)[-1],
        tmp_path, 'walk.amc')
    assert read_recording(file, FIGURE).times.tolist() == [0.0, 1 / 60, 2 / 60]
    assert read_recording(file, FIGURE, 10.0).times.tolist() == [0.0, 0.1, 0.2]


def test_the_root_of_a_figure_is_moved_by_joints_that_its_urdf_has(tmp_path):
    file = write('1\nroot 1 2 3 10 20 30\n', tmp_path, 'walk.amc')
    found = read_recording(file, FIGURE)
    urdf = KinematicTree.from_urdf(FIGURE.to_urdf())
    values = dict(zip(found.moving_joints, found.positions(0.0).tolist()))
    assert values['root_tx'] == pytest.approx(skeletons.UNIT)
    assert values['root_rz'] == pytest.approx(math.radians(30))
    for link, T in FIGURE.forward(values).items():
        assert urdf.forward(values)[link] == pytest.approx(T, abs=1e-9)


def test_values_between_frames_are_those_of_the_formula():
    rng = np.random.default_rng(1)
    times = np.cumsum(rng.uniform(0.01, 0.5, 40))
    values = rng.uniform(-1.0, 1.0, (40, 3))
    found = Recording(TREE, OWN, times, values)
    for t in rng.uniform(times[0], times[-1], 500):
        k = sum(time <= t for time in times) - 1
        slopes = [(b - a) / (times[k + 1] - times[k]) for a, b in zip(values[k], values[k + 1])]
        wanted = [a + (t - times[k]) * slope for a, slope in zip(values[k], slopes)]
        assert found.at(t - times[0]) == pytest.approx(wanted, abs=1e-12)
        assert found.frame(t - times[0]) == k
    for k in range(40):
        assert found.at(found.times[k]).tolist() == values[k].tolist()


def test_before_and_after_the_frames_the_first_and_the_last_hold():
    times, values = wave()
    found = Recording(TREE, OWN, times, values)
    assert found.at(-1.0).tolist() == values[0].tolist()
    assert found.at(99.0).tolist() == values[-1].tolist()
    assert (found.frame(-1.0), found.frame(99.0)) == (0, 8)
    for wrong in (math.nan, math.inf, 'x', None):
        with pytest.raises(InputError, match='time must be'):
            found.at(wrong)


def test_a_continuous_joint_turns_in_the_shorter_direction_and_a_limited_one_does_not():
    rng = np.random.default_rng(2)
    times = np.arange(60.0)
    angles = rng.uniform(-math.pi, math.pi, 60)
    angles[10:12] = 3.0, -3.0
    found = Recording(TREE, ['wheel', 'a'], times, np.column_stack([angles, angles]))
    for k in range(59):
        for s in (0.0, 0.3, 0.5, 0.9):
            wheel, a = found.at(k + s)
            # The point of the unit circle on the shorter arc, by complex numbers.
            between = np.angle(np.exp(1j * (angles[k + 1] - angles[k])))
            wanted = np.exp(1j * (angles[k] + s * between))
            assert np.exp(1j * wheel) == pytest.approx(wanted, abs=1e-9)
            assert a == pytest.approx((1 - s) * angles[k] + s * angles[k + 1])
    assert found.at(10.5)[0] % (2 * math.pi) == pytest.approx(math.pi)
    assert found.at(10.5)[1] == pytest.approx(0.0)
    assert np.abs(np.diff(found.values[:, 0])).max() <= math.pi + 1e-9


def test_continuous_values_that_do_not_wrap_are_kept_to_the_last_digit():
    values = np.random.default_rng(3).uniform(-1.5, 1.5, (30, 1)) + 40.0
    assert Recording(TREE, ['wheel'], np.arange(30.0), values).values.tolist() == values.tolist()


def test_mimics_follow_and_joints_without_values_rest_inside_their_limits():
    found = Recording(TREE, ['wheel'], [0.0, 1.0], [[0.0], [1.0]])
    assert found.moving_joints == MOVING
    assert found.positions(0.5) == pytest.approx([0.0, 0.5, 0.3, -0.13, 0.35])
    lifted = Recording(TREE, ['lift', 'a'], [0.0, 1.0], [[0.1, 0.0], [0.5, 1.0]])
    assert lifted.positions(0.25) == pytest.approx([0.25, 0.0, 0.2, -0.08, 0.1])


def test_a_recorded_mimic_follows_its_source(tmp_path):
    file = write('time,finger,lift,gear,wheel\n0,7,0.2,7,1\n', tmp_path, 'a.csv')
    found = read_recording(file, TREE)
    assert found.joint_names == ('lift', 'wheel')
    assert found.positions(0.0) == pytest.approx([0.0, 1.0, 0.2, -0.08, 0.6])
    file = write('time,a,finger\n0,0,0\n', tmp_path, 'a.csv')
    with pytest.raises(ModelError, match="line 1: joint 'finger' follows 'lift'; give the values"):
        read_recording(file, TREE)


def test_frames_outside_the_limits_are_kept_and_reported():
    times, values = wave()
    assert Recording(TREE, OWN, times, values).outside_limits() == ''
    values[3, 0], values[4, 0], values[4, 2] = 2.5, -3.5, 0.75
    found = Recording(TREE, OWN, times, values, 'the walk')
    assert found.at(times[4]).tolist() == values[4].tolist()
    assert found.outside_limits() == (
        "the walk: 2 of 9 frames exceed limits of joints: 'a' (-3.5 rad in frame 5, allowed are -2 "
        "to 2), 'lift' (0.75 m in frame 5, allowed are 0.1 to 0.5)")
    values[:, 2] = -1.0  # lifts the finger beyond its own limit, 0.3
    assert "'finger' (0.52 m in frame 1" in Recording(TREE, OWN, times, values).outside_limits()


def test_a_report_about_many_joints_is_short():
    tree = robots.tree('pr2')
    limited = [joint.name for joint in tree.joints.values() if joint.moves and joint.mimic is None
               and math.isfinite(joint.upper)]
    text = Recording(tree, limited, [0.0], [[50.0] * len(limited)]).outside_limits()
    assert ' more' in text
    assert len(text) < 600


def test_a_recording_cannot_be_changed_and_can_be_pickled():
    times, values = wave()
    found = Recording(TREE, OWN, times, values)
    values[0] = 9.0
    assert found.values[0, 0] == 0.0
    for array in (found.times, found.values):
        with pytest.raises(ValueError, match='read-only'):
            array[0] = 1.0
    with pytest.raises(AttributeError):
        found.times = times
    assert pickle.loads(pickle.dumps(found)).positions(0.3).tolist() == (
        found.positions(0.3).tolist())


@pytest.mark.parametrize(('joint_names', 'times', 'values', 'words'), [
    ([], [0.0], [[]], 'at least one joint must be named'),
    (['b'], [0.0], [[0.0]], "joint_names.0.: there is no joint 'b'.*there is 'a', 'wheel', 'lift'"),
    (['a', 'a'], [0.0], [[0.0, 0.0]], "joint 'a' appears twice"),
    (['t'], [0.0], [[0.0]], "joint 't' is fixed; those that move are 'a', 'wheel', 'lift'$"),
    ([3], [0.0], [[0.0]], 'there is no joint 3'), ('a', [0.0], [[0.0]], 'must be a list'),
    (['a'], [], np.empty((0, 1)), 'times must have the shape'),
    (['a'], [[0.0]], [[0.0]], 'times must have the shape'),
    (['a'], [0.0, 1.0], [[0.0]], 'values must have the shape .2, 1.'),
    (['a'], [0.0], [0.0], 'values must have the shape'),
    (['a'], [0.0, 0.0], [[0.0], [0.0]], r'times must increase: times\[1\] is 0, after 0'),
    (['a'], [0.0, math.nan], [[0.0], [0.0]], 'times must be finite'),
    (['a'], [0.0], [[math.inf]], 'values must be finite'),
])
def test_a_wrong_recording_is_refused(joint_names, times, values, words):
    with pytest.raises(IkError, match=words):
        Recording(TREE, joint_names, times, values)
    with pytest.raises(InputError, match='a KinematicTree is needed'):
        Recording('tree', joint_names, times, values)


def test_an_unknown_kind_of_file_is_refused_with_the_list(tmp_path):
    file = write('x', tmp_path, 'a.bvh')
    with pytest.raises(ModelError, match='of no known kind; the kinds are ') as error:
        read_recording(file, TREE)
    assert RECORDING_FORMATS in str(error.value)
    extensions = [one for reader in RECORDING_KINDS for one in reader.extensions]
    assert len(set(extensions)) == len(extensions)


@pytest.mark.parametrize('extension', ['csv', 'yaml', 'amc'])
def test_a_file_is_read_once_within_bounds_and_only_if_it_is_one(extension, tmp_path, monkeypatch):
    tree = FIGURE if extension == 'amc' else TREE
    text = {'csv': csv_text(*wave()), 'yaml': yaml.safe_dump(message(*wave())),
            'amc': '1\ntibia 1\n'}[extension]
    file = write(text, tmp_path, f'a.{extension}')
    with opened_files() as opened:
        read_recording(file, tree)
    assert sum(str(file) in name for name in opened) == 1
    for path in (tmp_path / f'none.{extension}', tmp_path / f'folder.{extension}'):
        (tmp_path / f'folder.{extension}').mkdir(exist_ok=True)
        with pytest.raises(ModelError, match='cannot read the motion .*' + path.name):
            read_recording(path, tree)
    with open(file, 'r+b') as large:
        large.truncate(recording_module.MAX_MOTION_BYTES + 1)
    with pytest.raises(ModelError, match='too large'):
        read_recording(file, tree)


def test_a_table_with_too_many_values_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(recording_files, 'MAX_VALUES', 20)
    times, values = wave()
    assert read_recording(write(csv_text(times[:5], values), tmp_path, 'a.csv'), TREE).n_frames == 5
    with pytest.raises(ModelError, match='line 7: there are too many values; at most 20'):
        read_recording(write(csv_text(times[:6], values), tmp_path, 'a.csv'), TREE)


@pytest.mark.parametrize('fps', [0.0, -1.0, math.nan, 'x', 1e9, True])
def test_wrong_frame_rates_are_refused(fps, tmp_path):
    with pytest.raises(InputError, match='fps must be'):
        read_recording(write('1\ntibia 1\n', tmp_path, 'a.amc'), FIGURE, fps)


def test_an_acclaim_motion_needs_its_skeleton(tmp_path):
    with pytest.raises(ModelError, match='a motion needs the skeleton'):
        read_recording(write('1\ntibia 1\n', tmp_path, 'a.amc'), TREE)


@pytest.mark.parametrize(('text', 'words'), [
    ('', 'line 1: the names of the columns'), ('time\n0\n', 'line 1: at least one joint'),
    ('a,time\n', "line 1: the names of the columns .* 'time' first"),
    ('time;a\n0;1\n', 'line 1: .* separated by commas'),
    ('time,a\n\n# end\n', 'line 1: there must be at least one row'),
    ('time,a,b\n', "line 1: there is no joint 'b'.* there is 'a', 'wheel', 'lift'"),
    ('time,a\n0,1e10\n', "line 2: 'a' must be a number, at most 1e.09"),
    ('time,a\n0,1_0\n', "line 2: 'a' must be a number"),
    ('time,a\n0,１\n', "line 2: 'a' must be a number"),
    ('time,a\n1e11,0\n', "line 2: 'time' must be a number, at most 1e.10"),
    ('time,a,lift\n0,6e8,6e8\n', 'line 2: the values are beyond'),
    ('time,a\n0,0\n0,0\n', 'line 3: the time must be later than that of the row before, 0 s, not'),
    *((f'time,a,wheel\n0,0,0\n1,{row}\n', 'line 3: ') for row in (
        '0', '0,0,0', 'nan,0', '-inf,0', ',0', '--1,0', '0x10,0', '1e999,0', '1 2,0', '\0,0')),
    ('time,a\n0,0\nx,0\n', "line 3: 'time' must be a number"),
    (b'time,a\n0,0\n1,\xff\n', 'line 3: '), (b'time,\xfe\n0,0\n', 'line 1: '),
    ('time,a,a\n0,0,0\n', 'line 1: '), ('time,a,tip\n0,0,0\n', 'line 1: '),
])
def test_what_is_wrong_in_a_table_is_named_with_its_line(text, words, tmp_path):
    with pytest.raises(ModelError, match=f"the motion '.*a.csv', {words}"):
        read_recording(write(text, tmp_path, 'a.csv'), TREE)


@pytest.mark.parametrize(('text', 'words'), [
    ('a: [\n', 'is not YAML: .*line [12]'), ('a: 1\na: 2\n', "'a' appears twice.*line 2"),
    ('', "must be a mapping with the keys 'header', 'joint_names', 'points', not None"),
    ('[]', 'must be a mapping'), ('joints: []', "there is no key 'joints'"),
    ('joint_names: [a]\npoints: [{positions: [1e-3], time_from_start: {}}]',
     r"points\[0\].positions\[0\], of 'a', .*write 0.001"),
    ('joint_names: [a]\npoints: ["..."]', r'points\[0\]: .* --full-length'),
    *((f'joint_names: [a]\npoints: [{points}]', rf'points\[{where}') for points, where in (
        ('5', r'0\]'), ('{positions: [0]}', r'0\]'), ('{time_from_start: {}}', r'0\]'),
        ('{positions: 1.0, time_from_start: {}}', r'0\]'),
        ('{positions: [.nan], time_from_start: {}}', r'0\]\.positions\[0\]'),
        ('{positions: [true], time_from_start: {}}', r'0\]\.positions\[0\]'),
        ('{positions: [0], time_from_start: 1.0}', r'0\]\.time_from_start'),
        ('{positions: [0], time_from_start: {secs: 1}}', r'0\]\.time_from_start'),
        ('{positions: [0], time_from_start: {sec: -1}}', r'0\]\.time_from_start\.sec'),
        ('{positions: [0], time_from_start: {nanosec: 1000000000}}', r'0\]\.time_from_start\.nano'),
        ('{positions: [0], time_from_start: {sec: 1}}, {positions: [0], time_from_start: {sec: 1}}',
         r'1\]\.time_from_start must be later'))),
    ('joint_names: [a]\npoints: text', 'points'), ('joint_names: [tip]\npoints: []', 'joint_names'),
    ('joint_names: &a [*a]', 'contains itself'), (b'\xff\xfe', 'cannot read the motion'),
])
def test_what_is_no_trajectory_is_refused(text, words, tmp_path):
    with pytest.raises(ModelError, match=re.compile(words, re.DOTALL)):
        read_recording(write(text, tmp_path, 'a.yaml'), TREE)
