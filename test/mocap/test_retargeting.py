"""Retargeting: onto itself, onto a scaled copy, onto the humanoid and TALOS; every field acts."""


import numpy as np
import pytest

import robots
from compiled import COMPILED
from ik_node import ModelError
from ik_node.mocap import retargeting
from ik_node.mocap.recording import Recording
from ik_node.mocap.retargeting import retarget
from ik_node.mocap.retargeting_map import read_map
from ik_node.mocap.targets import make_targets, path_length
from ik_node.model.readers import read_model
from ik_node.support.exceptions import InputError
from walking import MAP, humanoid, humanoid_map, own_map, walk, walker, with_entry

needs_compiled_kernels = pytest.mark.skipif(
    not COMPILED, reason='every frame of a walk is slow in plain Python')
TALOS = 'talos_data/robots/talos_reduced.urdf'


@pytest.fixture(scope='module')
def walked():
    if not COMPILED:
        pytest.skip('every frame of a walk is slow in plain Python')
    return retarget(walk(), humanoid(), humanoid_map())


def poses(recording, k):
    return recording.tree.forward(dict(zip(recording.joint_names, recording.values[k])))


def travels(found, recording, mapping):
    """Return how far held links move while they stand, m."""
    for name, stands in make_targets(recording, humanoid(), mapping).stands.items():
        link = mapping.tasks[name].link
        for stand in stands:
            p = np.array([poses(found.recording, k)[link][:3, 3]
                          for k in range(stand.first, stand.last + 1)])
            yield float(np.ptp(p, axis=0).max())


@pytest.mark.parametrize('scale', [1.0, 1.7], ids=['itself', 'scaled'])
def test_a_scaled_copy_turns_its_joints_alike_and_moves_its_root_in_scale(scale):
    found = retarget(walk(50), walker(scale), own_map(scale=scale))
    assert (found.misses, found.report()) == ({}, '')
    assert found.recording.times == pytest.approx(walk(50).times)
    wanted = walk(50).values.copy()
    column = {name: k for k, name in enumerate(found.recording.joint_names)}
    for k, name in enumerate(walk(50).joint_names):
        if name.startswith('root_t'):
            wanted[:, k] *= scale
    values = found.recording.values[:, [column[name] for name in walk(50).joint_names]]
    assert values == pytest.approx(wanted, abs=1e-5)


def test_the_humanoid_walks_with_its_feet_held_inside_its_limits(walked):
    assert walked.misses == {}
    assert walked.held == {'left_foot': 4, 'right_foot': 4}
    assert max(travels(walked, walk(), humanoid_map())) < 1e-4
    assert walked.recording.outside_limits() == ''
    assert walked.recording.joint_names[:3] == ('root_tx', 'root_ty', 'root_tz')
    assert len(walked.solve_times) == walk().n_frames


def test_soles_are_flat_on_the_ground_while_they_stand(walked):
    sole = poses(walked.recording, 0)['left_sole']
    assert sole[2, 3] == pytest.approx(0.0, abs=1e-5)
    assert sole[:3, 2] == pytest.approx([0.0, 0.0, 1.0], abs=1e-5)


def test_the_gaze_meets_a_point_before_the_head(walked):
    target = make_targets(walk(), humanoid(), humanoid_map()).poses['gaze'][20 % walk().n_frames]
    gaze = poses(walked.recording, 20 % walk().n_frames)['gaze']
    ray = target[:3, 3] + 2.0 * target[:3, 0] - gaze[:3, 3]
    assert gaze[:3, 0] == pytest.approx(ray / np.linalg.norm(ray), abs=0.02)


@needs_compiled_kernels
def test_talos_walks_with_its_feet_held_and_says_what_its_arms_miss():
    robot = read_model(robots.package_folder('erd') / TALOS)
    mapping = read_map(MAP.with_name('walker_to_talos.yaml'))
    found = retarget(walk(), robot, mapping)
    assert set(found.misses) <= {'left_hand', 'right_hand'}
    assert found.held == {'left_foot': 4, 'right_foot': 4}
    assert found.recording.outside_limits() == ''
    for name, miss in found.misses.items():
        assert 0 < miss.frames <= found.missed_frames <= walk().n_frames
        assert 1 <= miss.frame <= walk().n_frames
        assert f'{name} in {miss.frames}' in found.report()


def test_frames_that_miss_a_task_are_counted_with_the_task_and_its_error():
    found = retarget(walk(60), humanoid(), with_entry('left_hand', priority=1, weight=1e-6,
                                                     parent='', bone='rfoot'))
    miss = found.misses['left_hand']
    assert miss.frames == found.missed_frames == walk(60).n_frames
    assert miss.position > 0.1
    assert found.report().startswith(f'{miss.frames} of {miss.frames} frames miss tasks: left_hand')


def test_progress_is_called_after_every_frame():
    calls = []
    retarget(walk(113), humanoid(), humanoid_map(), lambda done, total: calls.append((done, total)))
    assert calls == [(k + 1, len(calls)) for k in range(walk(113).n_frames)]


def test_a_motion_of_one_frame_is_followed():
    whole = walk()
    one = Recording(whole.tree, whole.joint_names, [0.0], whole.values[:1])
    assert retarget(one, humanoid(), humanoid_map()).recording.n_frames == 1


def test_what_is_no_recording_is_refused():
    with pytest.raises(InputError, match='a Recording is needed'):
        retarget('walk.amc', humanoid(), humanoid_map())


# Fields of entries and options, each with what it changes.

def targets(mapping, recording=None):
    return make_targets(walk(20) if recording is None else recording, humanoid(), mapping)


def test_bone_and_link_say_what_leads_what():
    plain, crossed = targets(humanoid_map()), targets(with_entry('left_hand', bone='rhand'))
    assert np.abs(plain.poses['left_hand'] - crossed.poses['left_hand']).max() > 0.1
    other = targets(with_entry('left_hand', link='left_forearm'))
    assert np.abs(plain.poses['left_hand'] - other.poses['left_hand']).max() > 0.05


@needs_compiled_kernels
def test_type_says_what_of_the_target_counts():
    def error(kind):
        found = retarget(walk(113), humanoid(), with_entry(
            'left_hand', type=kind, parent='', bone='rfoot', weight=1e-5))
        return found.misses['left_hand']
    assert error('orientation').position == 0.0
    assert error('position').orientation == 0.0
    assert min(error('pose')[1:3]) > 0.0


@needs_compiled_kernels
def test_a_heavier_task_is_missed_less():
    def error(weight):
        found = retarget(walk(113), humanoid(), with_entry(
            'left_hand', type='position', parent='', bone='rfoot', weight=weight))
        return found.misses['left_hand'].position if 'left_hand' in found.misses else 0.0
    assert error(10.0) < error(0.01)


def test_an_entry_without_weight_is_no_task_but_a_parent():
    found = targets(humanoid_map())
    assert 'left_shoulder' in found.poses
    moved = retarget(walk(200), humanoid(), with_entry('left_shoulder', bone='lfoot', link='chest'))
    assert 'left_shoulder' not in moved.misses


@needs_compiled_kernels
def test_a_constraint_is_met_where_a_weighted_task_is_not():
    def found(priority):
        return retarget(walk(113), humanoid(), with_entry(
            'chest', bone='lfemur', type='pose', parent='', weight=1.0, priority=priority)).misses
    assert 'chest' in found(1)
    assert 'chest' not in found(0)


def test_lengths_are_measured_from_the_parent():
    plain = targets(humanoid_map())
    ground = targets(with_entry('left_hand', parent=''))
    assert np.abs(plain.poses['left_hand'] - ground.poses['left_hand']).max() > 0.02
    arm = (path_length(humanoid(), 'left_shoulder', 'left_palm')
           / path_length(walker(), 'lclavicle', 'lhand'))
    assert arm == pytest.approx((0.29 + 0.25 + 0.09) / (0.29 + 0.26 + 0.09))
    vector = plain.poses['left_hand'][:, :3, 3] - plain.poses['left_shoulder'][:, :3, 3]
    bones = np.array([at['lhand'][:3, 3] - at['lclavicle'][:3, 3] for at in (
        poses(walk(20), k) for k in range(walk(20).n_frames))])
    assert vector == pytest.approx(arm * bones, abs=0.03)  # but for what turns with the hand


def test_a_link_that_is_not_held_follows_its_bone():
    free = targets(with_entry('left_foot', hold=False), walk(5))
    assert set(free.stands) == {'right_foot'}
    assert np.abs(free.poses['left_foot'] - targets(humanoid_map(), walk(5)).poses['left_foot']
                  ).max() > 1e-4


def test_the_axis_of_a_gaze_is_that_of_the_link(monkeypatch):
    made = []
    look_at = retargeting.LookAt
    monkeypatch.setattr(retargeting, 'LookAt', lambda *arguments, **options: made.append(
        look_at(*arguments, **options)) or made[-1])
    retarget(walk(600), humanoid(), with_entry('gaze', axis=[0.0, 0.0, 2.0]))
    pose = make_targets(walk(600), humanoid(), humanoid_map()).poses['gaze'][0]
    assert made[0].axis.tolist() == [0.0, 0.0, 1.0]
    assert made[0].target == pytest.approx(pose[:3, 3] + 2.0 * pose[:3, 2])


def test_scale_says_how_far_the_robot_walks():
    far = [np.ptp(targets(humanoid_map(scale=scale)).poses['pelvis'][:, 0, 3])
           for scale in (1.0, 0.5)]
    assert far[1] == pytest.approx(0.5 * far[0], rel=0.02)


def test_the_heading_is_found_and_can_be_set():
    found = targets(humanoid_map())
    assert targets(humanoid_map(heading=90.0)).poses['pelvis'] == pytest.approx(
        found.poses['pelvis'], abs=1e-9)
    turned = targets(humanoid_map(heading=0.0)).poses['pelvis'][0, :3, :3]
    assert turned[:, 0] == pytest.approx([0.0, 1.0, 0.0], abs=0.1)


def test_the_ground_is_found_and_can_be_set():
    found = targets(humanoid_map())
    lower = targets(humanoid_map(ground=-0.1))
    assert lower.poses['pelvis'][:, 2, 3] - found.poses['pelvis'][:, 2, 3] == pytest.approx(
        0.1 * 0.99, abs=0.01)


def changed_walk(**rates):
    """Return the walk with joints that drift, rates: {joint: rad/s or m/s}."""
    values = walk(5).values.copy()
    for name, rate in rates.items():
        values[:, walk(5).joint_names.index(name)] += rate * walk(5).times
    return Recording(walk(5).tree, walk(5).joint_names, walk(5).times, values)


def test_a_floor_that_is_not_level_is_levelled():
    plain = targets(humanoid_map(), walk(5))
    sloping = targets(humanoid_map(), changed_walk(root_ty=0.006))  # 28 mm at the end
    assert {name: len(stands) for name, stands in sloping.stands.items()} == {
        'left_foot': 4, 'right_foot': 4}
    for name in ('pelvis', 'left_foot', 'left_hand'):
        assert sloping.poses[name][:, 2, 3] == pytest.approx(plain.poses[name][:, 2, 3], abs=5e-3)
    given = targets(humanoid_map(ground=0.0), changed_walk(root_ty=0.006))
    assert given.poses['pelvis'][-1, 2, 3] - plain.poses['pelvis'][-1, 2, 3] > 0.02


def test_a_foot_that_is_tilted_does_not_stand():
    tilted = changed_walk(lfoot_rx=0.08)  # 22 deg at the end, 16 where the last stand begins
    def count(**changes):
        return len(targets(humanoid_map(ground=0.0, hold_height=0.1, **changes), tilted
                           ).stands['left_foot'])
    assert (count(hold_tilt=40.0), count()) == (4, 3)


@pytest.mark.parametrize('change', [{'hold_height': 0.0}, {'hold_speed': 0.0}])
def test_a_foot_stands_where_it_is_low_and_slow(change):
    plain, changed = (targets(humanoid_map(**more), walk(5)) for more in ({}, change))
    def frames(found):
        return sum(stand.last - stand.first for stands in found.stands.values() for stand in stands)
    assert frames(changed) < frames(plain)


def test_a_longer_blend_begins_earlier():
    plain, longer = (targets(humanoid_map(hold_blend=blend, ground=-0.02, hold_height=0.03), walk(5)
                             ).poses['left_foot'] for blend in (0.0, 0.3))
    assert np.abs(np.diff(plain[:, 2, 3])).max() > np.abs(np.diff(longer[:, 2, 3])).max()


def test_rest_poses_of_figure_and_robot_correspond():
    found = targets(humanoid_map(heading=90.0))
    robot = targets(humanoid_map(heading=90.0, rest={'robot': {'left_elbow': 1.0}}))
    figure = targets(humanoid_map(heading=90.0, rest={'figure': {'lradius_rx': -1.0}}))
    for other in (robot, figure):
        assert np.abs(other.poses['left_hand'] - found.poses['left_hand']).max() > 0.05
        assert other.poses['right_hand'] == pytest.approx(found.poses['right_hand'], abs=0.05)


def test_the_map_names_the_solver(monkeypatch):
    seen = []
    make = retargeting.make_body_solver
    monkeypatch.setattr(retargeting, 'make_body_solver', lambda name, *rest, **options: seen.append(
        (name, options['max_iterations'])) or make(name, *rest, **options))
    retarget(walk(600), humanoid(), humanoid_map(solver='hierarchy'))
    retarget(walk(300), humanoid(), humanoid_map(max_iterations=7))
    assert seen[0][0] == 'hierarchy'
    assert seen[-1] == ('least_squares', 7)


def test_smoothness_keeps_joints_near_the_frame_before():
    def step(smoothness):
        values = retarget(walk(60), humanoid(), humanoid_map(
            smoothness=smoothness)).recording.values[1:, 6:]
        return float(np.abs(np.diff(values, axis=0)).mean())
    assert step(10.0) < 0.5 * step(0.0)


@pytest.mark.parametrize('tolerance', ['position_tolerance', 'orientation_tolerance'])
def test_tolerances_say_what_is_missed(tolerance):
    assert retarget(walk(300), humanoid(), humanoid_map(**{tolerance: 1e-12})).misses


@pytest.mark.parametrize(('name', 'change', 'text'), [
    ('left_hand', {'bone': 'hand'}, r'tasks\.left_hand\.bone: there is no bone .hand.'),
    ('left_hand', {'link': 'palm'}, r'tasks\.left_hand\.link: there is no link .palm.'),
    ('left_hand', {'bone': 'root', 'parent': 'pelvis'}, r'tasks\.left_hand: the bone .root. is '
     'where that of its parent is'),
])
def test_an_entry_that_does_not_fit_is_named(name, change, text):
    with pytest.raises(ModelError, match=text):
        retarget(walk(300), humanoid(), with_entry(name, **change))


@pytest.mark.parametrize('who', ['figure', 'robot'])
def test_a_joint_of_a_rest_pose_must_exist(who):
    with pytest.raises(ModelError, match=rf'rest\.{who}: there is no joint .knee.'):
        retarget(walk(300), humanoid(), humanoid_map(rest={who: {'knee': 0.1}}))
