"""Acclaim motions: joint values frame by frame, units, what is left out, malformed files."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import robots
import skeletons
from ik_node import KinematicTree, ModelError, read_amc
from ik_node.model.amc import read_motion
from ik_node.model.readers import read_model
from ik_node.support.exceptions import InputError
from skeletons import FIGURE, UNIT, motion, positions, random_values

TREE = read_model(FIGURE)
FRAMES = [random_values(np.random.default_rng(seed)) for seed in range(5)]


def read(text, tmp_path, tree=TREE):
    file = tmp_path / 'walk.amc'
    file.write_text(text)
    return read_amc(file, tree)


def test_every_frame_stands_where_the_formulas_of_the_format_put_it(tmp_path):
    frames = read(motion(FRAMES), tmp_path)
    assert len(frames) == len(FRAMES)
    for values, numbers in zip(frames, FRAMES):
        T = TREE.forward(values)
        for bone, p in positions(numbers).items():
            assert T[bone][:3, 3] == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize('header', ['', ':DEGREES\n', '# comment\n\n:fully-specified\n:Degrees\n'])
def test_the_header_may_be_missing_and_in_any_case(header, tmp_path):
    assert read(motion(FRAMES, header), tmp_path) == read(motion(FRAMES), tmp_path)


def test_radians_in_the_motion_or_in_the_skeleton(tmp_path):
    text = ':RADIANS\n1\ntibia 0.5\n'
    assert read(text, tmp_path)[0]['tibia_rx'] == 0.5
    radians = read_model(FIGURE.replace('angle deg', 'angle rad'))
    assert read('1\ntibia 0.5\n', tmp_path, radians)[0]['tibia_rx'] == 0.5
    assert read(':DEGREES\n1\ntibia 90\n', tmp_path, radians)[0]['tibia_rx'] == math.pi / 2
    assert read('1\ntibia 90\n', tmp_path)[0]['tibia_rx'] == math.pi / 2


def test_names_are_not_case_sensitive_and_values_are_in_the_order_of_the_file(tmp_path):
    text = FIGURE.replace('TX TY TZ RX RY RZ', 'RZ TX RX TY RY TZ')
    frame, = read('7\nROOT 1 2 3 4 5 6\nFoot 10, 20, 0.5\n', tmp_path, read_model(text))
    degree = math.pi / 180
    assert {name: frame[name] for name in frame if 'root' in name or 'foot' in name} == (
        pytest.approx({'root_rz': degree, 'root_tx': 2 * UNIT, 'root_rx': 3 * degree,
                       'root_ty': 4 * UNIT, 'root_ry': 5 * degree, 'root_tz': 6 * UNIT,
                       'foot_rz': 10 * degree, 'foot_rx': 20 * degree, 'foot_l': 0.5 * UNIT}))


def test_what_other_programs_write_before_the_frames_is_skipped_and_the_rate_kept(tmp_path):
    text = (':ASF-FILE my figure.asf\n:asf-path ../asf\n:FRAME-RANGE 1 2\n:SAMPLES-PER-SECOND 60\n'
            ':RADIANS\n1\ntibia 1.5\n')
    frame, = read(text, tmp_path)
    assert frame['tibia_rx'] == 1.5
    (tmp_path / 'walk.amc').write_text(text)
    assert read_motion(tmp_path / 'walk.amc', TREE)[1] == 60.0
    (tmp_path / 'walk.amc').write_text('1\ntibia 1.5\n')
    assert read_motion(tmp_path / 'walk.amc', TREE)[1] is None


def test_bones_left_out_of_all_frames_are_at_zero(tmp_path):
    frames = read('1\ntibia 90\n2\ntibia 45\n', tmp_path)
    moving = {name for name, joint in TREE.joints.items() if joint.moves}
    assert [set(frame) for frame in frames] == [moving, moving]
    assert frames[1]['femur_rx'] == 0.0
    with pytest.raises(ModelError, match='line 2: frame 1 has no values of .*root'):
        read(':FULLY-SPECIFIED\n1\ntibia 90\n', tmp_path)


@pytest.mark.parametrize(('text', 'line', 'words'), [
    ('', 1, 'a frame number is expected here'), (':DEGREES\n', 1, 'a frame number'),
    ('tibia 1\n', 1, "a frame number is expected here, not 'tibia'"),
    (':DEGREES 1\n1\ntibia 1\n', 1, ':degrees must stand alone in its line'),
    (':SAMPLES-PER-SECOND x\n1\ntibia 1\n', 1, ':samples-per-second must be a number'),
    (':SAMPLES-PER-SECOND 0\n1\ntibia 1\n', 1, ':samples-per-second must be from 0.001 to 1e'),
    (':DEGREES\n:SAMPLES-PER-SECOND 1e7\n1\ntibia 1\n', 2, 'must be from 0.001'),
    (':DEGRES\n1\ntibia 1\n', 1, "did you mean ':degrees'"),
    ('1\ntibia 1 2\n', 2, "'tibia' must have 1 values, for 'tibia_rx', not 2"),
    ('1\ntibia\n', 2, "'tibia' must have 1 values"),
    ('1\nhip 1\n', 2, "there is no bone with degrees of freedom 'hip'"),
    ('1\ntibia x\n', 2, "the value of 'tibia_rx' must be a number"),
    ('1\ntibia 1_0\n', 2, 'must be a number'), ('1\ntibia １\n', 2, 'must be a number'),
    ('1\ntibia nan\n', 2, 'must be a number'), ('1\ntibia inf\n', 2, 'must be a number'),
    ('1\ntibia 1e300\n', 2, 'at most 1e+09'), ('1\ntibia 1.#QNAN\n', 2, "not '1.#QNAN'"),
    ('1\ntibia 1 # one\n2 # two\ntibia -1.#IND\n', 4, "not '-1.#IND'"),
    ('1\ntibia 1\ntibia 1\n', 3, "frame 1 has 'tibia' twice"),
    ('1\ntibia 1\n1\ntibia 1\n', 3, 'frame 1 must have a greater number than the one before'),
    ('1\ntibia 1\n2\n', 3, "frame 2 has no values of 'tibia'"),
    ('1\n2\ntibia 1\n', 1, 'frame 1 has no values'),
    ('1\ntibia 1\n2\ntibia 1\nhead 2\n', 3, "frame 2 has values of 'head', which the first"),
    ('1\ntibia 1\n:DEGREES\n', 3, "no bone with degrees of freedom ':DEGREES'"),
])
def test_an_error_names_its_line(text, line, words, tmp_path):
    with pytest.raises(ModelError, match=f"walk.amc', line {line}: .*{re.escape(words)}"):
        read(text, tmp_path)


@pytest.mark.parametrize('seed', robots.rest_slow(range(300), *range(30)))
def test_a_malformed_word_gives_an_error_that_names_a_line(seed, tmp_path):
    text, line = skeletons.malformed(motion(FRAMES), np.random.default_rng(seed),
                                     lambda words: not words)
    with pytest.raises(ModelError, match=r"walk.amc', line (\d+): ") as error:
        read(text, tmp_path)
    named = int(re.search(r'line (\d+)', str(error.value))[1])
    assert named <= line


def test_a_motion_needs_a_tree_of_a_skeleton(tmp_path):
    with pytest.raises(ModelError, match='a tree from KinematicTree.from_asf'):
        read(motion(FRAMES), tmp_path, KinematicTree.from_urdf(TREE.to_urdf()))
    with pytest.raises(InputError, match='a KinematicTree is needed'):
        read(motion(FRAMES), tmp_path, 'figure.asf')
    with pytest.raises(ModelError, match='cannot read the motion'):
        read_amc(tmp_path / 'none.amc', TREE)


def test_the_code_of_the_documentation_runs(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / 'docs/models.md').read_text()
    code, = [code for code in re.findall(r'```python\n(.*?)```', page, re.DOTALL)
             if 'read_amc' in code]
    for name, text in (('figure.asf', FIGURE), ('walk.amc', motion(FRAMES))):
        (tmp_path / name).write_text(text.replace('Foot', 'lhand').replace('foot', 'lhand'))
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(code, 'models.md', 'exec'), names)
    assert names['hand'] == pytest.approx(positions(FRAMES[0])['foot'], abs=1e-12)
