"""Workspaces of planar arms against the textbook's answers, which are written out here."""

import numpy as np
import pytest

import robots
from ik_node.workspace.analysis import analyse_workspace

NEAR = 1e-4  # m: this near the border the last digits decide


def corners(voxels, numbers):
    """Return the corners (k, 4, 2) of voxels in the plane."""
    ends = 0.5 * voxels.edge * np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)])
    return voxels.centres(numbers)[:, None, :2] + ends


def at_centres(workspace):
    """Return whether each voxel of the grid (v,) has a reachable centre."""
    reachable = np.zeros(workspace.voxels.size, dtype=bool)
    reachable[workspace.numbers] = workspace.centre_reachable
    return reachable


@pytest.mark.parametrize('lengths', robots.rest_slow(
    [[1.0, 0.6], [0.4, 1.0], [1.0, 1.0]], [0.4, 1.0]))
def test_a_2r_arm_reaches_the_ring_between_the_difference_and_the_sum_of_its_links(lengths):
    inner, outer = abs(lengths[0] - lengths[1]), sum(lengths)
    workspace = analyse_workspace(robots.planar(*lengths), outer / 25)
    voxels, every = workspace.voxels, np.arange(workspace.voxels.size)
    r = np.linalg.norm(voxels.centres(every)[:, :2], axis=1)
    assert (at_centres(workspace) == ((inner <= r) & (r <= outer))).all()
    # Of the voxels that are reached, none lies outside the ring by more than half an edge.
    ends = corners(voxels, workspace.numbers)
    away = np.maximum(np.abs(voxels.centres(workspace.numbers)[:, :2]) - 0.5 * voxels.edge, 0.0)
    assert (np.linalg.norm(away, axis=1) <= outer + 0.5 * voxels.edge).all()
    assert (np.linalg.norm(ends, axis=2).max(axis=1) >= inner - 0.5 * voxels.edge).all()
    assert workspace.volume == pytest.approx(np.pi * (outer ** 2 - inner ** 2), rel=0.02)
    assert workspace.unit == 'm²'
    assert workspace.reach == pytest.approx((inner, outer), abs=1e-4)


@pytest.mark.parametrize('limit', [0.6, 2.0])
def test_joint_limits_take_away_what_the_closed_form_says(limit):
    L1, L2 = 1.0, 0.6
    workspace = analyse_workspace(robots.planar(L1, L2, limit=limit), 0.06)
    x, y, _ = workspace.voxels.centres(np.arange(workspace.voxels.size)).T
    around = [two_links(L1, L2, x + a, y + b, limit)  # borders are met within half an edge
              for a in (-0.03, 0.0, 0.03) for b in (-0.03, 0.0, 0.03)]
    inside, outside = np.all(around, axis=0), np.any(around, axis=0)
    reachable = at_centres(workspace)
    assert reachable[inside].all()
    assert not reachable[~outside].any()
    assert reachable.sum() == pytest.approx(around[4].sum(), rel=0.01, abs=4)
    assert 10 < around[4].sum() < (x * x + y * y <= (L1 + L2) ** 2).sum()


def test_the_manipulability_of_a_2r_arm_is_the_known_one():
    L1, L2 = 1.0, 0.6
    workspace = analyse_workspace(robots.planar(L1, L2), 0.05)
    cosine, known = two_link_figures(L1, L2, workspace.centres)
    inside = np.abs(cosine) < 0.95
    assert inside.sum() > 2000
    assert workspace.manipulability[inside] == pytest.approx(known[inside], abs=0.03)
    assert np.median(workspace.manipulability[inside] / known[inside]) == pytest.approx(
        1.0, abs=0.01)


def test_the_conditioning_of_a_2r_arm_is_the_known_one():
    L1, L2 = 1.0, 0.6
    workspace = analyse_workspace(robots.planar(L1, L2), 0.05)
    cosine, known = two_link_figures(L1, L2, workspace.centres)
    inside = np.abs(cosine) < 0.95
    # σ1² + σ2² = r² + L2², and σ1 σ2 = L1 L2 |sin θ2|: so their ratio is
    total = (workspace.centres[:, :2] ** 2).sum(axis=1) + L2 ** 2
    ratio = known / (0.5 * (total + np.sqrt(np.maximum(total ** 2 - 4.0 * known ** 2, 0.0))))
    assert workspace.conditioning[inside] == pytest.approx(ratio[inside], abs=0.03)


def two_link_figures(L1, L2, points):
    """Return cos θ2 and L1 L2 |sin θ2| of a 2R arm at points (k, 3), m."""
    cosine = ((points[:, :2] ** 2).sum(axis=1) - L1 * L1 - L2 * L2) / (2.0 * L1 * L2)
    return cosine, L1 * L2 * np.sqrt(np.maximum(1.0 - cosine ** 2, 0.0))


TRIPLES = [
    (15.0, 10.0, 5.0),  # dexterous from 10 to 20
    (10.0, 8.0, 3.0),   # an island of radius 1 within the hole
    (5.0, 10.0, 8.0)]   # the outer limit lies within the hole: an island only


@pytest.mark.parametrize('lengths', [
    pytest.param(lengths, marks=pytest.mark.slow if k != 1 else ())
    for k, lengths in enumerate(TRIPLES)])
def test_a_3r_arm_is_dexterous_where_its_formula_says(lengths):
    L1, L2, L3 = lengths
    edge = sum(lengths) / 11
    workspace = analyse_workspace(robots.planar(*lengths), edge, dexterity=16)
    voxels = workspace.voxels
    r = np.linalg.norm(voxels.centres(np.arange(voxels.size))[:, :2], axis=1)
    expected = (r + L3 <= L1 + L2) & (np.abs(r - L3) >= abs(L1 - L2))
    borders = np.array([L1 + L2 - L3, L3 + abs(L1 - L2), L3 - abs(L1 - L2)])
    crossed = (np.abs(r[:, None] - borders) < 0.5 * np.sqrt(2.0) * edge).any(axis=1)
    dexterous = np.zeros(voxels.size, dtype=bool)
    dexterous[workspace.numbers] = workspace.dexterous
    assert (dexterous == expected)[~crossed].all()
    assert expected[~crossed].any()
    assert not expected[~crossed].all()


@pytest.mark.parametrize(('lengths', 'limit'), [
    pytest.param((15.0, 10.0, 5.0), 2.2, marks=pytest.mark.slow), ((1.0, 1.0, 1.0), 1.5)])
def test_the_part_of_the_turns_a_3r_arm_can_take_is_the_closed_forms(lengths, limit):
    L1, L2, L3 = lengths
    turns = 20
    arm = robots.planar(*lengths, limit=None if limit == np.inf else limit)
    workspace = analyse_workspace(arm, sum(lengths) / 10, dexterity=turns)
    x, y, _ = workspace.centres[workspace.centre_reachable].T[:, :, None]
    tip = 2.0 * np.pi * np.arange(turns) / turns
    wrist_x, wrist_y = x - L3 * np.cos(tip), y - L3 * np.sin(tip)
    least, most = (two_links(L1, L2, wrist_x, wrist_y, limit + change, tip).mean(axis=1)
                   for change in (-NEAR, NEAR))
    found = workspace.dexterity[workspace.centre_reachable]
    grazing = 2.0 / turns  # turns that are only just possible, at both ends of their range
    assert (found >= least - grazing - 1e-9).all()
    assert (found <= most + grazing + 1e-9).all()
    assert found.sum() == pytest.approx(most.sum(), rel=0.1)
    assert np.ptp(found) > 0.2


def test_a_2r_arm_has_no_say_in_how_its_tip_is_turned():
    workspace = analyse_workspace(robots.planar(1.0, 0.6), 0.2, dexterity=6)
    assert (workspace.dexterity == 0.0).all()


def two_links(L1, L2, x, y, limit=np.inf, last=None):
    """Tell which points (k,), m, a 2R arm reaches with every joint within ±limit, rad.

    last: an angle (k,) that a third link is to have; the third joint keeps the limit too.
    """
    cosine = (x * x + y * y - L1 * L1 - L2 * L2) / (2.0 * L1 * L2)
    reached = np.zeros(x.shape, dtype=bool)
    for elbow in (1.0, -1.0):
        bend = elbow * np.arccos(np.clip(cosine, -1.0, 1.0))
        first = np.arctan2(y, x) - np.arctan2(L2 * np.sin(bend), L1 + L2 * np.cos(bend))
        inside = (np.abs(wrapped(first)) <= limit) & (np.abs(bend) <= limit)
        if last is not None:
            inside &= np.abs(wrapped(last - first - bend)) <= limit
        reached |= inside & (np.abs(cosine) <= 1.0)
    return reached


def wrapped(angle):
    """Return angles within ±π, rad."""
    return np.remainder(angle + np.pi, 2.0 * np.pi) - np.pi
