import numpy as np
import pytest

import robots
from ik_node import Goal, IkError, KinematicTree, make_solver
from ik_node.support.exceptions import UnsupportedError

MODELS = pytest.mark.parametrize('model', ['rbf', 'nearest', 'gaussian'])


@pytest.fixture(scope='module')
def arm():
    return robots.chain('arm_7r')


@pytest.fixture(scope='module')
def motion(arm):
    """A smooth motion (k, n) in the middle of the limits."""
    lower, upper = np.maximum(arm.lower, -2.5), np.minimum(arm.upper, 2.5)
    t = np.linspace(0.0, 2.0 * np.pi, 80)[:, None]
    rng = np.random.default_rng(4)
    size, phase = rng.uniform(0.3, 1.0, (2, arm.n_joints)), rng.uniform(0, 6, (2, arm.n_joints))
    return 0.5 * (lower + upper) + 0.15 * (upper - lower) * sum(
        size[k] * np.sin((k + 1) * t + phase[k]) for k in range(2))


def left_out(arm, motion, solver, count=12):
    """Return the largest errors of joint values on odd frames; each goal has to be met."""
    off = []
    for q in motion[1::2][:robots.samples(count) + 1]:
        result = solver.solve(arm.forward(q))
        assert result.success
        assert arm.forward(result.q) == pytest.approx(arm.forward(q), abs=3e-6)
        off.append(np.abs(result.q - q).max())
    return np.array(off)


@MODELS
def test_frames_left_out_are_three_times_nearer_than_by_dls(arm, motion, model):
    own = left_out(arm, motion, make_solver('example', arm, examples=motion[::2], model=model))
    assert own.mean() <= left_out(arm, motion, make_solver('dls', arm)).mean() / 3.0


def test_the_model_interpolates_takes_the_nearest_or_the_most_likely(arm, motion):
    T = arm.forward(motion[21])
    found = {model: make_solver('example', arm, examples=motion[::2], model=model).solve(T)
             for model in ('rbf', 'nearest', 'gaussian')}
    assert np.abs(found['rbf'].q - motion[21]).max() < np.abs(found['nearest'].q - motion[21]).max()
    assert np.abs(found['nearest'].q - found['gaussian'].q).max() > 1e-4


@MODELS
def test_outside_the_examples_it_still_solves_and_reports_how_far_they_are(arm, motion, model):
    solver = make_solver('example', arm, examples=motion[:3], model=model)
    near, far = arm.forward(motion[0]), arm.forward(motion[40])
    beside = solver.solve(near).method
    assert beside.startswith(f'{model}, ')
    assert float(beside.split(', ')[1].split(' m')[0]) < 1e-9
    result = solver.solve(far)
    assert result.success
    away = min(np.linalg.norm(far[:3, 3] - arm.forward(q)[:3, 3]) for q in motion[:3])
    reported = float(result.method.split(', ')[1].split(' m')[0])
    assert reported >= away * 0.99
    assert solver.solve(Goal(position=far[:3, 3])).method.endswith(' m from the nearest example')


@MODELS
def test_a_position_alone_is_met_by_a_configuration_near_the_examples(arm, motion, model):
    solver = make_solver('example', arm, examples=motion[::2], model=model)
    result = solver.solve(Goal(position=arm.forward(motion[11])[:3, 3]))
    assert result.success
    assert np.abs(motion - result.q).max(axis=1).min() < 0.35


def test_the_bias_leads_to_the_examples_or_to_its_target(arm, motion):
    goal = Goal(position=arm.forward(motion[11])[:3, 3])
    drawn, free = (make_solver('example', arm, examples=motion[::2], model='gaussian',
                               bias_gain=gain).solve(goal).q for gain in (0.25, 0.0))
    target = motion[60]
    elsewhere = make_solver('example', arm, examples=motion[::2], model='gaussian',
                            bias_target=target).solve(goal).q
    assert np.linalg.norm(elsewhere - target) < np.linalg.norm(drawn - target) - 0.05
    assert not np.array_equal(drawn, free)


def test_smoothing_averages_noisy_examples(arm, motion):
    noisy = motion + np.random.default_rng(5).normal(0.0, 0.05, motion.shape)
    noisy = np.clip(noisy, arm.lower, arm.upper)
    errors = [left_out(arm, motion, make_solver(
        'example', arm, examples=noisy, smoothing=smoothing), 200).mean()
        for smoothing in (0.0, 0.1)]
    assert errors[1] < errors[0]


def test_pseudo_examples_are_added_where_few_examples_miss(arm, motion):
    few, missed = motion[::6], []
    for count in (0, 32):
        solver = make_solver('example', arm, examples=few, pseudo_examples=count)
        missed.append(np.mean([np.abs(solver.solve(arm.forward(q)).q - q).max()
                               for q in motion[3::6]]))
    assert missed[1] < missed[0]


def test_neighbours_interpolate_and_choose_for_nearest(arm, motion):
    flat = robots.planar(1.0, 0.8, limit=2.8)
    goal, q = Goal(position=flat.forward([0.4, 0.9])[:3, 3]), np.array([0.4, 0.9])
    other = flat.forward(q)[:2, 3]  # the mirrored elbow, a little farther from the goal
    mirrored = np.array([2.0 * np.arctan2(other[1], other[0]) - 0.4 + 1e-3, -0.9])
    ends = [make_solver('example', flat, examples=[q + 0.5e-3, mirrored], model='nearest',
                        neighbours=count).solve(goal, mirrored).q for count in (1, 2)]
    assert np.sign([end[1] for end in ends]).tolist() == [1.0, -1.0]
    many = np.repeat(motion, 4, axis=0) + np.random.default_rng(6).normal(0, 1e-3, (320, 7))
    T = arm.forward(motion[21])
    one, other = (make_solver('example', arm, examples=np.clip(many, arm.lower, arm.upper),
                              neighbours=count).solve(T).q for count in (4, 64))
    assert np.abs(one - other).max() > 1e-7


@pytest.mark.parametrize('option', [{'components': 1}, {'clusters': 1}])
def test_components_and_clusters_shape_the_likelihood(arm, motion, option):
    goal = Goal(position=arm.forward(motion[11])[:3, 3])
    default, other = (make_solver('example', arm, examples=motion[::2], model='gaussian',
                                  **options).solve(goal).q for options in ({}, option))
    assert np.abs(default - other).max() > 1e-4


def test_the_nearest_turn_is_that_of_q0():
    chain = robots.planar(1.0, 0.8)
    solver = make_solver('example', chain, examples=[[0.4, 0.9]])
    far = np.array([0.5 + 4.0 * np.pi, 0.8 - 2.0 * np.pi])
    result = solver.solve(Goal(position=chain.forward([0.4, 0.9])[:3, 3]), far)
    assert result.q == pytest.approx([0.4 + 4.0 * np.pi, 0.9 - 2.0 * np.pi], abs=1e-3)


@MODELS
def test_joints_of_two_turns_stay_at_the_turn_of_the_examples(model):
    arm = robots.chain('arm_6r')
    two_turns = arm.with_limits(np.full(6, -2.0 * np.pi), np.full(6, 2.0 * np.pi))
    t = np.linspace(0.0, 1.0, 41)[:, None]
    motion = np.array([4.0, -5.0, 1.0, 5.5, -4.0, 6.2]) + 0.6 * np.sin(
        2.0 * t + np.arange(6)) * [1, 1, 1, 1, 1, 0.1]
    solver = make_solver('example', two_turns, examples=motion[::2], model=model)
    assert left_out(two_turns, motion, solver).max() < 0.3
    elsewhere = solver.solve(arm.forward(motion[5]), np.full(6, -1.0))
    assert np.abs(elsewhere.q - motion[5]).max() < 0.3


def test_without_examples_it_says_that_it_needs_them(arm):
    with pytest.raises(UnsupportedError, match='example needs the option examples'):
        make_solver('example', arm)


@pytest.mark.parametrize(('examples', 'words'), [
    ([[0.0] * 6], r'must have the shape \(k, 7\), k at least 1, not \(1, 6\)'),
    ([], r'must have the shape \(k, 7\)'),
    ([[float('nan')] * 7], 'must be finite numbers'),
    ([['a'] * 7], 'must be numbers'),
    (7, 'must be a file or an array'),
    ('motion.txt', "a file of the kind '.csv', '.yaml', '.yml', '.amc', not 'motion.txt'"),
    ('missing.csv', "cannot read the examples 'missing.csv'")])
def test_unusable_examples_are_refused_with_what_is_allowed(arm, examples, words):
    with pytest.raises(IkError, match=words):
        make_solver('example', arm, examples=examples)


def test_examples_come_from_a_table_with_joint_names(arm, motion, tmp_path):
    file = tmp_path / 'motion.csv'
    names = ['time', *reversed(arm.joint_names), 'gripper']
    file.write_text('\n'.join([','.join(names), *(
        ','.join(map(repr, map(float, [0.1, *q[::-1], 0.0]))) for q in motion[::2])]))
    T = arm.forward(motion[9])
    assert make_solver('example', arm, examples=str(file)).solve(T).q == pytest.approx(
        make_solver('example', arm, examples=motion[::2]).solve(T).q)
    assert make_solver('example', arm, examples=file).solve(T).success


@pytest.mark.parametrize(('text', 'words'), [
    ('time,a\n0,0\n', r"line 1: there is no column for"),
    ('{names}\n0,0\n', 'line 2: 7 values are needed, not 2'),
    ('{names}\n0,0,x,0,0,0,0\n', "line 2: 'joint_3' must be a number"),
    ('{names}\n', 'have no configuration')])
def test_a_table_that_cannot_be_used_is_refused_by_its_line(arm, tmp_path, text, words):
    file = tmp_path / 'motion.csv'
    file.write_text(text.replace('{names}', ','.join(arm.joint_names)))
    with pytest.raises(IkError, match=words):
        make_solver('example', arm, examples=str(file))


def test_examples_come_from_a_library_of_poses(tmp_path):
    chain = robots.chain('panda')
    library = robots.OWN.parent / 'config/poses/panda.yaml'
    solver = make_solver('example', chain, examples=str(library))
    ready = np.radians([0.0, -45.0, 0.0, -135.0, 0.0, 90.0, 45.0])
    assert solver.solve(chain.forward(ready)).q == pytest.approx(ready, abs=1e-2)
    broken = tmp_path / 'broken.yaml'
    broken.write_text(library.read_text().replace('panda_joint4: -4,', ''))
    with pytest.raises(IkError, match="pose 'extended' must have a number for 'panda_joint4'"):
        make_solver('example', chain, examples=str(broken))
    broken.write_text('- home\n')
    with pytest.raises(IkError, match='must hold poses'):
        make_solver('example', chain, examples=str(broken))


def test_examples_come_from_a_motion_of_a_skeleton():
    motions = robots.OWN.parent / 'config/motions'
    tree = KinematicTree.from_asf(motions / 'walker.asf')
    chain = tree.chain('lhipjoint' if 'lhipjoint' in tree.links else 'root', 'lfoot')
    solver = make_solver('example', chain, examples=str(motions / 'walk.amc'), model='nearest')
    result = solver.solve(chain.forward(solver._examples.q[30]))
    assert result.success
    assert result.q == pytest.approx(solver._examples.q[30], abs=0.05)
