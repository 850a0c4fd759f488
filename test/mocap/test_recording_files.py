import math

import numpy as np
import pytest

import robots
import skeletons
from ik_node import KinematicTree, ModelError
from ik_node.mocap.recording import Recording
from ik_node.mocap.recording_files import WRITERS, read_recording, write_recording
from ik_node.model.readers import read_model

TREE = KinematicTree.from_urdf(robots.robot(
    robots.joint('a', 'revolute', 'base', 'la',
                 limit='lower="-2" upper="2" effort="1" velocity="1"'),
    robots.joint('yes', 'continuous', 'la', 'lw')))  # a name that YAML would take for true
TIMES = np.array([0.0, 0.5, 1.25, 1000.123456789])
VALUES = np.array([[0.1, -1e-7], [1e-5, 3.0], [-2.0, 6.0], [1.0, 5.5]])


@pytest.mark.parametrize('extension', ['.yaml', '.yml', '.csv', '.CSV'])
def test_a_motion_is_read_as_it_was_written(extension, tmp_path):
    file = tmp_path / f'motion{extension}'
    write_recording(Recording(TREE, ['a', 'yes'], TIMES, VALUES), file)
    found = read_recording(file, TREE)
    assert found.joint_names == ('a', 'yes')
    assert found.times == pytest.approx(TIMES, abs=1e-9)
    assert found.values == pytest.approx(VALUES, abs=6e-7)


def test_a_motion_of_a_skeleton_is_written_in_its_units(tmp_path):
    figure, rng = read_model(skeletons.FIGURE), np.random.default_rng(0)
    names = [joint.name for joint in figure.joints.values() if joint.moves]
    values = rng.uniform(-0.5, 0.5, (3, len(names)))
    write_recording(Recording(figure, names, np.arange(3) / 120.0, values), tmp_path / 'a.amc')
    found = read_recording(tmp_path / 'a.amc', figure)
    assert found.times == pytest.approx(np.arange(3) / 120.0)
    column = {name: k for k, name in enumerate(found.joint_names)}
    assert found.values[:, [column[name] for name in names]] == pytest.approx(
        values, abs=math.radians(1e-4) + 1e-6)


@pytest.mark.parametrize(('times', 'rate'), [
    (np.arange(5) / 60.0, 60.0), (np.arange(3) / 29.97, 29.97), (np.array([0.0, 0.1, 0.3]), 120.0),
    (np.arange(4) / 120.0, 120.0), (np.zeros(1), 120.0)])
def test_the_rate_of_a_motion_of_a_skeleton_is_kept_where_it_has_one(times, rate, tmp_path):
    figure, file = read_model(skeletons.FIGURE), tmp_path / 'a.amc'
    write_recording(Recording(figure, ['tibia_rx'], times, np.ones((len(times), 1))), file)
    assert (':SAMPLES-PER-SECOND' in file.read_text()) == (rate != 120.0)
    assert read_recording(file, figure).times == pytest.approx(np.arange(len(times)) / rate)


def test_joints_that_were_not_recorded_are_at_zero_in_a_motion_of_a_skeleton(tmp_path):
    figure = read_model(skeletons.FIGURE)
    write_recording(Recording(figure, ['tibia_rx'], [0.0], [[0.5]]), tmp_path / 'a.amc')
    found = read_recording(tmp_path / 'a.amc', figure)
    assert found.values.sum() == pytest.approx(0.5, abs=1e-5)


def test_another_extension_is_refused_with_the_list(tmp_path):
    with pytest.raises(ModelError, match=r"motion\.bag.*must be one of '\.yaml'"):
        write_recording(Recording(TREE, ['a'], [0.0], [[0.0]]), tmp_path / 'motion.bag')
    assert set(WRITERS) == {'.yaml', '.yml', '.csv', '.amc'}


def test_a_robot_without_a_skeleton_has_no_acclaim_motion(tmp_path):
    with pytest.raises(ModelError, match='needs a skeleton'):
        write_recording(Recording(TREE, ['a'], [0.0], [[0.0]]), tmp_path / 'motion.amc')


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(ModelError, match='cannot write the motion'):
        write_recording(Recording(TREE, ['a'], [0.0], [[0.0]]), tmp_path / 'none' / 'motion.csv')
