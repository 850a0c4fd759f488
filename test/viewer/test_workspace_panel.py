import threading

import numpy as np
import pytest

import robots
from harness.page_here import page_with
from ik_node import IkError, KinematicTree
from ik_node.viewer import workspace_panel
from ik_node.workspace.analysis import analyse_workspace

PLANAR = KinematicTree.from_urdf(robots.OWN / 'planar_3r.urdf').chain()


@pytest.fixture(scope='module')
def workspace():
    return analyse_workspace(PLANAR, dexterity=0)


@pytest.fixture
def page(monkeypatch, workspace):
    """The page of an arm whose workspace is known, so that nothing takes long."""
    def analyse(chain, dexterity, map, progress):
        progress(0.5, 'sampling')
        return workspace
    monkeypatch.setattr(workspace_panel, 'analyse_workspace', analyse)
    with page_with('planar_3r') as made:
        yield made


def voxels(page):
    """Return the centres of the voxels that are drawn, and their node; None without."""
    found = list(page.drawn('/ik_node/workspace').values())
    return (found[0].batched_positions, found[0]) if found else None


def test_a_plane_is_whole_at_first_and_can_be_cut_and_its_colors_have_a_scale(page, workspace):
    assert page.widget('Workspace', 'cut away').value == 'x'  # towards the camera
    page.choose('Workspace', 'workspace', value='manipulability')
    assert 'manipulability' in page.text('Workspace')
    assert 'reach' in page.text('Workspace')
    assert page.widget('Workspace', 'cut away').value == 'nothing'
    assert not page.shows('Workspace', 'beyond, m')
    assert voxels(page)[0][:, 0].max() > 0.5
    page.choose('Workspace', 'cut away', value='x')
    assert voxels(page)[0][:, 0].max() <= 0.0
    page.choose('Workspace', 'cut away', value='y')
    page.choose('Workspace', 'beyond, m', value=0.1)
    assert voxels(page)[0][:, 1].max() <= 0.1
    page.choose('Workspace', 'opacity', value=0.9)
    assert voxels(page)[1].opacity == 0.9
    page.choose('Workspace', 'workspace', value='reachable')
    assert 'centre reachable' in page.text('Workspace')
    page.choose('Workspace', 'workspace', value='not shown')
    assert voxels(page) is None
    assert 'reach' not in page.text('Workspace')


def test_the_progress_is_shown_and_a_computation_can_be_cancelled(page, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    def analyse(chain, dexterity, map, progress):
        assert dexterity > 0
        progress(0.25, 'turning')
        begun.set()
        go_on.wait(60.0)
        progress(0.5, 'turning')
        raise AssertionError('it goes on')
    monkeypatch.setattr(workspace_panel, 'analyse_workspace', analyse)
    page.put('Workspace', 'workspace', value='dexterity')
    assert begun.wait(60.0)
    assert 'turning: 25 %' in page.text('Workspace')
    assert page.shows('Workspace', 'Cancel')
    page.begin('Workspace', 'Cancel')
    go_on.set()
    page.settle()
    assert not page.shows('Workspace', 'Cancel')
    assert page.widget('Workspace', 'workspace').value == 'not shown'
    assert voxels(page) is None


def test_an_arm_that_cannot_be_analysed_has_none_and_the_reason_is_reported(page, monkeypatch):
    def refuse(*_, **__):
        raise IkError('it has no limits')
    monkeypatch.setattr(workspace_panel, 'analyse_workspace', refuse)
    page.choose('Workspace', 'workspace', value='reachable')
    assert page.told == ['it has no limits']
    assert page.widget('Workspace', 'workspace').value == 'not shown'


def test_another_arm_has_none_yet(page):
    page.choose('Workspace', 'workspace', value='reachable')
    assert voxels(page) is not None
    page.choose('robot', value='scara')
    assert voxels(page) is None
    assert page.widget('Workspace', 'workspace').value == 'not shown'


def test_a_slice_is_one_layer(page, workspace):
    page.choose('Workspace', 'workspace', value='reachable')
    page.choose('Workspace', 'cut away', value='x')
    page.choose('Workspace', 'only a slice', value=True)
    x = voxels(page)[0][:, 0]
    assert np.ptp(x) < 1e-6
    assert -workspace.voxels.edge < x[0] <= 0.0
    page.choose('Workspace', 'only a slice', value=False)
    assert np.ptp(voxels(page)[0][:, 0]) > 0.1


def test_what_a_plane_lays_open_is_drawn(page):
    page.choose('Workspace', 'workspace', value='reachable')
    cut, _ = voxels(page)
    page.choose('Workspace', 'cut away', value='nothing')
    whole, _ = voxels(page)
    at_plane = cut[:, 0].max()
    inside = (np.abs(cut[:, 0] - at_plane) < 1e-6).sum()
    assert inside >= (np.abs(whole[:, 0] - at_plane) < 1e-6).sum()
