import json
from types import SimpleNamespace

import numpy as np
import pytest

import robots
from harness.fake_node import FakeNode
from harness.page_here import _call, load, page_of, position_wxyz, save
from ik_node.collision import Box, Cylinder, Ground, Sphere
from ik_node.spatial import pose_from_rpy


def present(page, node=None):
    return (node or page.node).robot.world.obstacles


def handles(page):
    return {name: node for name, node in page.drawn('/ik_node/obstacles/').items()
            if 'label' not in name}


def lowest(box):
    return box.pose[2, 3] - 0.5 * box.shape.size[2]


def add(page, kind):
    page.choose('Obstacles', 'add', value=kind)


def drag(page, number, T, *phases):
    """Drag the handle of an obstacle to a pose (4, 4), as a browser does."""
    (handle,) = (node for name, node in handles(page).items()
                 if name.split('/')[3].split('~')[0] == str(number))
    position, wxyz = position_wxyz(T)
    handle._impl.position, handle._impl.wxyz = np.array(position), np.array(wxyz)
    for phase in phases or ('end',):
        for callback in handle._impl_aux.update_cb:
            _call(callback, SimpleNamespace(
                client=page.browser, client_id=1, target=handle, phase=phase))
    page.settle()


def test_a_goal_is_solved_again_where_the_arm_is_to_avoid_an_obstacle_that_is_moved(page):
    T = page.handle().T
    page.drag(T)
    add(page, 'sphere')
    page.node.sent.clear()
    drag(page, 1, T)
    assert [sent[0] for sent in page.node.sent] == ['obstacles']
    assert '● reached' in page.text()
    page.choose('Obstacles', 'avoid collisions', value=True)
    assert '● not reached' in page.text()
    page.node.sent.clear()
    drag(page, 1, pose_from_rpy((5.0, 5.0, 5.0), (0.0, 0.0, 0.0)))
    assert [sent[0] for sent in page.node.sent] == ['obstacles', 'goal']
    assert page.node.sent[-1][2] == pytest.approx(T, abs=1e-9)
    assert '● reached' in page.text()
    assert page.told == []


def test_an_obstacle_is_made_sized_dragged_and_deleted(page):
    add(page, 'box')
    (box,) = present(page)
    assert isinstance(box.shape, Box)
    assert lowest(box) == pytest.approx(0.0)  # on the floor
    assert len(handles(page)) == 1
    page.put('Obstacles', 'size x, m', value='200 mm')
    page.type('Obstacles', 'size y, m', value='0.3')
    page.type('Obstacles', 'size z, m', value='0.5')
    (box,) = present(page)
    assert box.shape.size == pytest.approx((0.2, 0.3, 0.5))
    assert lowest(box) == pytest.approx(0.0)
    page.type('Obstacles', 'y, m', value='-12 cm')
    assert present(page)[0].pose[1, 3] == pytest.approx(-0.12)
    T = present(page)[0].pose + 0.0
    T[2, 3] += 0.01
    drag(page, 1, T, 'start', 'update', 'end')
    assert lowest(present(page)[0]) == pytest.approx(0.0)  # one so near is put on the floor
    T = pose_from_rpy(np.array([0.3, -0.2, 0.5]), np.array([0.1, 0.2, 0.3]))
    drag(page, 1, T, 'start', 'update', 'end')
    (box,) = present(page)
    assert box.pose == pytest.approx(T, abs=1e-9)
    assert box.name == 'page/box/1'
    add(page, 'cylinder')
    assert page.widget('Obstacles', 'obstacle').value == 'cylinder 2'
    page.type('Obstacles', 'length, m', value='0.7')
    assert [type(one.shape) for one in present(page)] == [Box, Cylinder]
    assert present(page)[1].shape.length == pytest.approx(0.7)
    page.choose('Obstacles', 'obstacle', value='box 1')
    page.choose('Obstacles', 'delete', value='this one')
    (left,) = present(page)
    assert isinstance(left.shape, Cylinder)
    assert len(handles(page)) == 1
    page.type('Obstacles', 'radius, m', value='-1')
    assert 'radius must be above 0 m' in page.told[-1]
    assert present(page) == (left,)


def test_a_ground_is_solid_below_its_handle(page):
    add(page, 'ground')
    (ground,) = present(page)
    assert isinstance(ground.shape, Ground)
    assert ground.pose == pytest.approx(np.eye(4))
    assert not page.shows('Obstacles', 'size x, m')


def test_obstacles_that_are_made_one_after_the_other_are_beside_each_other(page):
    for kind in ('box', 'sphere', 'cylinder', 'box'):
        add(page, kind)
    middles = np.array([one.pose[:3, 3] for one in present(page)])
    apart = np.linalg.norm(middles[:, None] - middles, axis=2) + np.eye(4)
    assert apart.min() > 2.0 * max(present(page)[0].shape.size)


def test_a_box_that_is_ticked_stays_so_until_the_node_has_it(page):
    box = page.widget('Obstacles', 'avoid collisions')
    box._impl.value = True
    page.update()  # the painter comes first
    assert box.value
    page.put('Obstacles', 'avoid collisions', value=True)
    page.settle()
    assert page.node.get('dls.avoid_collisions')
    page.node.refusal = 'it is busy'
    page.choose('Obstacles', 'avoid collisions', value=False)
    assert box.value
    assert page.told == ['it is busy']


def test_a_view_that_fits_shows_them(page):
    add(page, 'box')
    far = pose_from_rpy(np.array([0.0, 9.0, 0.0]), np.zeros(3))
    drag(page, 1, far)
    assert not page.browser.sees(far)
    page.view.page.camera.fit(page.browser)
    assert page.browser.sees(far)


def test_the_markers_of_the_node_show_it_in_the_scene(page):
    add(page, 'sphere')
    (name,) = page.drawn('/ik_node/markers/obstacles')
    drag(page, 1, pose_from_rpy(np.array([0.1, 0.2, 0.9]), np.zeros(3)))
    page.node.publish()
    page.settle()
    assert page.drawn(name)[name].position == pytest.approx([0.1, 0.2, 0.9])
    page.choose('Obstacles', 'delete', value='this one')
    page.node.publish()
    page.settle()
    assert not page.drawn('/ik_node/markers/obstacles')


def test_undo_and_redo(page):
    add(page, 'sphere')
    drag(page, 1, pose_from_rpy(np.array([0.1, 0.2, 0.9]), np.zeros(3)), 'start', 'update', 'end')
    page.choose('Obstacles', 'delete', value='this one')
    places = []
    for work in (page.view.page.history.undo,) * 3 + (page.view.page.history.redo,) * 2:
        work()
        page.settle()
        places.append([round(float(one.pose[0, 3]), 6) for one in present(page)])
    first = places[1]
    assert places == [[0.1], first, [], first, [0.1]]
    assert first != [0.1]


def test_each_solver_avoids_them_where_that_is_chosen(page):
    page.choose('Obstacles', 'avoid collisions', value=True)
    assert page.node.get('dls.avoid_collisions') is True
    assert page.shows('Solver', 'Options', 'collisions', 'margin')
    page.set(solver='ccd')
    assert page.widget('Obstacles', 'avoid collisions').value is False


def test_a_node_that_has_restarted_gets_them_again(page):
    add(page, 'sphere')
    page.node._entries = {}
    page.node._set_world()
    assert present(page) == ()
    page.node.responds = False
    page.settle()
    page.node.responds, page.node.process = True, b'2'
    page.settle()
    assert page.robot_view.restarts == 1
    assert isinstance(present(page)[0].shape, Sphere)


def test_all_of_the_node_are_deleted_those_of_others_too(page):
    add(page, 'sphere')
    foreign = page.node.sent[-1][1][0]
    foreign.ns = 'of others'
    page.node.send_obstacles([foreign])
    assert len(present(page)) == 2
    page.choose('Obstacles', 'delete', value='all')
    assert present(page) == ()
    assert not handles(page)


def test_they_are_part_of_a_scene(page):
    add(page, 'box')
    add(page, 'ground')
    drag(page, 1, pose_from_rpy(np.array([0.3, -0.2, 0.5]), np.array([0.1, 0.2, 0.3])))
    before, text = present(page), save(page)
    page.choose('Obstacles', 'delete', value='all')
    add(page, 'cylinder')
    load(page, text)
    assert page.told == []
    for one, other in zip(before, present(page), strict=True):
        assert repr(one.shape) == repr(other.shape)
        assert one.pose == pytest.approx(other.pose, abs=1e-9)
    content = json.loads(text)
    del content['obstacles']  # as older files have none
    load(page, json.dumps(content).encode())
    assert present(page) == ()


@pytest.mark.parametrize(('changed', 'words'), [
    ({'kind': 'cone'}, "one of 'box'"), ({'sizes': [1.0]}, 'the shape (3,)'),
    ({'sizes': [1.0, 0.0, 1.0]}, 'above 0 m'), ({'number': 0.5}, 'whole number of at least 1'),
    ({'position': [0.0, float('nan'), 0.0]}, 'finite number')])
def test_an_obstacle_of_a_file_that_is_none_is_refused(page, changed, words):
    add(page, 'box')
    content = json.loads(save(page))
    content['obstacles'][0].update(changed)
    load(page, json.dumps(content).encode())
    assert words in page.told[-1]
    assert len(present(page)) == 1


def test_all_robots_of_a_comparison_get_them():
    path = str(robots.OWN / 'arm_6r.urdf')
    with page_of(FakeNode(model_path=path), FakeNode(model_path=path, solver='ccd')) as page:
        add(page, 'sphere')
        assert [len(present(page, node)) for node in page.nodes] == [1, 1]
        page.choose('Obstacles', 'avoid collisions', value=True)
        assert page.nodes[1].get('ccd.avoid_collisions') is True
