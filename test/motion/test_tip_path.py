"""Paths of a tip: straight between poses, smooth through gentle corners, ended at sharp ones."""

from itertools import pairwise

import numpy as np
import pytest

import robots
from ik_node.motion.tip_path import ClosedPath, Curve, Line, distance, paths_through
from ik_node.spatial import pose_from_rpy


def at(x, y=0.0, z=0.0, yaw=0.0):
    return pose_from_rpy(np.array([x, y, z]), np.array([0.0, 0.0, yaw]))


def test_a_line_is_straight_and_turns_about_one_axis():
    line = Line(at(0.0), at(1.0, 2.0, 2.0, yaw=1.0))
    assert line.length == pytest.approx(3.0)
    assert line.angle == pytest.approx(1.0)
    assert line.pose(0.25) == pytest.approx(at(0.25, 0.5, 0.5, yaw=0.25))


def test_a_place_is_described_in_percent_metres_and_degrees():
    assert Line(at(0.0), at(2.0)).place(0.25) == '25 % of the path (0.5 m)'
    assert Line(at(0.0), at(2.0, yaw=np.pi)).place(0.5) == '50 % of the path (1 m, 90°)'


def circle(count, radius=0.2):
    angles = np.linspace(0.0, 2.0 * np.pi, count)
    return [at(radius * np.cos(a), radius * np.sin(a), yaw=0.1 * np.sin(a)) for a in angles]


def test_a_run_of_gentle_corners_is_one_curve_that_meets_every_pose():
    poses = circle(41)
    paths = paths_through(poses)
    assert len(paths) == 1
    assert isinstance(paths[0], Curve)
    assert paths[0].length == pytest.approx(0.4 * np.pi, rel=2e-3)
    steps = np.array([sum(distance(a, b)) for a, b in pairwise(poses)])
    for s, T in zip(np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum(), poses):
        assert paths[0].pose(s) == pytest.approx(T, abs=1e-9)
    for s in np.linspace(0.0, 1.0, 300):
        assert np.linalg.norm(paths[0].pose(s)[:2, 3]) == pytest.approx(0.2, abs=3e-4)


@pytest.mark.parametrize(('first', 'second'), [(0.04, 0.04), (0.048, 0.002), (0.01, 0.045)])
def test_a_curve_leaves_the_straight_lines_by_two_millimetres_at_most(first, second):
    angle = 0.2
    poses = [at(-first), at(0.0), at(second * np.cos(angle), second * np.sin(angle))]
    path, = paths_through(poses)
    assert isinstance(path, Curve)
    normal = np.array([-np.sin(angle), np.cos(angle)])
    off = []
    for s in np.linspace(0.0, 1.0, 200):
        p = path.pose(s)[:2, 3]
        off.append(abs(p[1]) if p[0] < 0.0 else abs(normal @ p))
    assert 1e-4 < max(off) <= 2e-3


def test_long_straight_lines_stay_straight_however_gentle_their_corner():
    paths = paths_through([at(-1.0), at(0.0), at(1.0, 0.1)])
    assert [type(path) for path in paths] == [Line, Line]


def test_the_tip_rests_at_a_sharp_corner():
    paths = paths_through([at(0.0), at(1.0), at(1.0, 1.0), at(1.0, 2.0)])
    assert [type(path) for path in paths] == [Line, Curve]
    assert paths[1].length == pytest.approx(2.0)


def test_turning_has_corners_too():
    assert len(paths_through([at(0.0), at(0.1, yaw=0.05), at(0.2, yaw=0.1)])) == 1
    assert len(paths_through([at(0.0), at(0.1, yaw=0.05), at(0.2, yaw=0.0)])) == 2
    assert len(paths_through([at(0.0), at(1.0), at(1.0, yaw=0.5)])) == 2


def test_poses_that_repeat_are_left_out():
    assert len(paths_through([at(0.0), at(0.0), at(1.0), at(1.0)])) == 1
    assert paths_through([at(1.0), at(1.0)]) == []


OWN = [('planar_3r', ()), ('arm_6r', ()), ('arm_7r', ()), ('scara', ()),
       ('torso', (None, 'left_tool0'))]


@pytest.mark.parametrize(('name', 'ends'), OWN)
def test_it_stays_well_inside_the_limits_and_closes(name, ends):
    chain = robots.tree(name).chain(*ends)
    path = ClosedPath(chain)
    for turn in np.linspace(0.0, 1.0, 50):
        q = path.configuration(turn)
        assert (chain.lower < q).all()
        assert (q < chain.upper).all()
        assert path.pose(turn) == pytest.approx(chain.forward(q))
    assert path.pose(1.0) == pytest.approx(path.pose(0.0), abs=1e-12)


def test_it_keeps_away_from_singular_configurations():
    chain = robots.chain('panda')
    path = ClosedPath(chain)
    worst = min(np.linalg.svd(chain.jacobian(path.configuration(turn)), compute_uv=False)[-1]
                for turn in np.linspace(0.0, 1.0, 100))
    assert worst > 0.02
