from types import SimpleNamespace

import numpy as np
import pytest

import robots
from harness.page_here import _call, page_with, position_wxyz
from ik_node import KinematicTree
from ik_node.spatial import pose_from_rpy
from ik_node.viewer import workspace_panel
from ik_node.workspace import picture
from ik_node.workspace.analysis import analyse_workspace

# Links of 15, 10 and 5 m in a plane: every orientation is reachable from 10 to 20 m.
PLANAR = KinematicTree.from_urdf(robots.OWN / 'planar_3r.urdf').chain()
GOALS = 'x,y,z,roll,pitch,yaw\n15,0,0,0,0,0\n0,15,0,0,0,1\n45,0,0,0,0,0\n'
MISSED = [194, 50, 27]


@pytest.fixture(scope='module')
def workspace():
    return analyse_workspace(PLANAR, 2.0, dexterity=8)


@pytest.fixture
def page(monkeypatch, workspace):
    """The page of an arm whose dexterity is known, so that nothing takes long."""
    monkeypatch.setattr(workspace_panel, 'analyse_workspace',
                        lambda chain, dexterity, map, progress: workspace)
    with page_with('planar_3r') as made:
        yield made


def goals(page):
    """Return the centres and the colours of the goals that are drawn."""
    (node,) = page.drawn('/ik_node/placement').values()
    return node.batched_positions, node.batched_colors


def drag(page, *xyz):
    (handle,) = page.drawn('/ik_node/base').values()
    position, wxyz = position_wxyz(pose_from_rpy(xyz, (0.0, 0.0, 0.0)))
    handle._impl.position, handle._impl.wxyz = np.array(position), np.array(wxyz)
    for callback in handle._impl_aux.update_cb:
        _call(callback, SimpleNamespace(client=page.browser, client_id=1, target=handle,
                                        phase='end'))
    page.settle()


def test_goals_of_a_file_have_live_scores_where_the_base_is_dragged(page, workspace):
    page.upload('Base placement', 'Goals …', name='welds.csv', content=GOALS.encode())
    page.choose('Base placement', 'drag the base', value=True)
    page.settle()
    assert '2 of 3 goals are reached' in page.text('Base placement')
    points, colors = goals(page)
    assert points == pytest.approx(np.array([[15, 0, 0], [0, 15, 0], [45, 0, 0]]))
    assert colors[2].tolist() == MISSED
    assert colors[0].tolist() != MISSED
    drag(page, 30.0, 0.0, 0.0)
    assert '2 of 3 goals are reached' in page.text('Base placement')
    assert goals(page)[1][1].tolist() == MISSED
    score = workspace.map.score(pose_from_rpy((-15.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    assert goals(page)[1][0].tolist() == (
        255 * picture.figure_colors(np.array([score]), 'dexterity')[0]).astype(int).tolist()
    page.choose('Base placement', 'drag the base', value=False)
    assert not page.drawn('/ik_node/placement')
    assert not page.drawn('/ik_node/base')


def test_the_best_base_pose_reaches_most_goals(page):
    page.upload('Base placement', 'Goals …', name='welds.csv', content=GOALS.encode())
    page.choose('Base placement', 'drag the base', value=True)
    drag(page, 200.0, 0.0, 0.0)
    assert '0 of 3' in page.text('Base placement')
    page.press('Base placement', 'Best base pose')
    page.settle()
    assert '3 of 3 goals are reached' in page.text('Base placement')
    start, middle = map(np.array, (page.browser.camera.position, page.browser.camera.look_at))
    far = (goals(page)[0] - start) @ (middle - start)
    assert (far > 0.0).all()  # the goals are before the camera


def test_without_a_file_goals_are_the_waypoints(page):
    page.choose('Base placement', 'drag the base', value=True)
    assert 'no goals yet' in page.text('Base placement')
    page.press('Base placement', 'Best base pose')
    assert 'waypoints or a file' in page.told[-1]


@pytest.mark.parametrize(('name', 'content', 'words'), [
    ('welds.csv', 'x,y,z,nx,ny,nz\nnan,0,0,0,0,1\n', 'not finite'), ('welds.txt', '', 'must be'),
    ('welds.csv', GOALS + '1,0,0,0,0,0\n' * 5000, 'at most 5000')])
def test_a_file_that_is_none_of_goals_is_refused(page, name, content, words):
    page.upload('Base placement', 'Goals …', name=name, content=content.encode())
    assert words in page.told[-1]
