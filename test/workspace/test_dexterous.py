import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.workspace.analysis import analyse_workspace
from ik_node.workspace.sampling import orientations, super_fibonacci

QUARTER = np.pi / 2


def wrist_arm(tool):
    """A 6R without limits whose wrist axes meet; the tool stands on the last of them, m."""
    return KinematicTree.from_dh([
        [0.0, QUARTER, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0], [0.0, QUARTER, 0.0, 0.0],
        [0.0, -QUARTER, 0.4, 0.0], [0.0, QUARTER, 0.0, 0.0], [0.0, 0.0, tool, 0.0]],
        convention='standard').chain()


def test_a_tip_where_the_wrist_axes_meet_has_every_orientation_wherever_it_gets():
    workspace = analyse_workspace(wrist_arm(0.0), 0.2, dexterity=12)
    assert workspace.centre_reachable.sum() > 300
    assert workspace.dexterous[workspace.centre_reachable].mean() > 0.94
    assert not workspace.dexterity[~workspace.centre_reachable].any()


@pytest.mark.slow
def test_a_tool_costs_dexterity_at_the_border_only():
    tool, wrist_hole, wrist_reach = 0.15, 0.1, 0.9  # the wrist gets from |0.5 − 0.4| to 0.5 + 0.4
    workspace = analyse_workspace(wrist_arm(tool), 0.2, dexterity=12)
    r = np.linalg.norm(workspace.centres, axis=1)
    at = workspace.centre_reachable
    assert (at & (r > wrist_reach)).sum() > 100
    assert not workspace.dexterous[at & (r > wrist_reach)].any()
    inner = at & (r < wrist_reach - tool) & (r > wrist_hole + tool)
    assert inner.sum() > 100
    assert workspace.dexterous[inner].mean() > 0.99


def test_orientations_of_a_scara_are_turns_about_its_vertical():
    chain = robots.scara()
    wanted = orientations(chain, 8)
    assert wanted[:, 2, 2] == pytest.approx(np.ones(8))
    turns = np.unwrap(np.arctan2(wanted[:, 1, 0], wanted[:, 0, 0]))
    assert np.abs(np.diff(turns)) == pytest.approx(np.full(7, np.pi / 4))
    workspace = analyse_workspace(chain, 0.1, dexterity=8)
    assert workspace.dexterity.max() == 1.0
    assert workspace.dexterity[workspace.centre_reachable].min() > 0.0


def test_orientations_of_five_joints_are_those_that_they_serve():
    workspace = analyse_workspace(robots.chain('so101'), 0.2, dexterity=8)
    assert workspace.dexterity.max() > 0.3


@pytest.mark.parametrize('count', [50, 400])
def test_the_orientations_are_spread_over_all_rotations(count):
    R = super_fibonacci(count)
    assert np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() < 1e-12
    assert np.linalg.det(R) == pytest.approx(np.ones(count))
    assert np.abs(R.mean(axis=0)).max() < 0.05                         # ∫ R dR = 0
    trace = np.trace(R, axis1=1, axis2=2)
    assert (trace ** 2).mean() == pytest.approx(1.0, abs=0.1)          # ∫ tr² dR = 1
    cosine = 0.5 * (np.einsum('aij,bij->ab', R, R) - 1.0) - 2.0 * np.eye(count)
    nearest = np.arccos(np.clip(cosine, -1.0, 1.0)).min(axis=1)
    ideal = (6.0 * np.pi / count) ** (1.0 / 3.0)  # a ball of this radius holds 1/count of SO(3)
    assert nearest.min() > 0.4 * ideal
    assert nearest.max() < 2.0 * ideal


def test_arms_that_turn_about_several_axes_get_the_whole_set():
    assert orientations(robots.chain('ur5'), 20) == pytest.approx(super_fibonacci(20))
