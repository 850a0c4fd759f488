"""Tasks that are made and deleted on the page."""


import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import robots
from browser import until, user_chooses, user_presses, view_of
from ik_node.control.task_options import TYPES
from ros_harness import running


@pytest.fixture(scope='module')
def seen():
    with (running(urdf_path=robots.OWN / 'torso.urdf', tip_link='right_tool0') as node,
          view_of(node._domain.id) as (_, view, (robot_view,))):
        assert until(lambda: view._gizmo is not None and robot_view.parameters.get('solver')
                     and view._tasks._links)
        yield node, view, robot_view


def test_the_first_task_brings_a_solver_and_the_last_takes_it_away(seen):
    node, view, robot_view = seen
    panel = view._tasks
    assert panel._task.options == ('–',)
    panel._name.value = 'left'
    user_chooses(panel._type, 'pose')
    panel._fields['link'].value = 'left_tool0'
    user_presses(panel._add)
    assert until(lambda: node.get('tasks') == ['left'] and node.get('left.type') == 'pose')
    assert node.get('solver') == 'least_squares'
    assert node.get('left.link') == 'left_tool0'
    assert until(lambda: panel._task.value == 'left' and panel._weight.visible)
    assert until(lambda: view._handles.named('left') is not None)  # it can be dragged
    user_chooses(panel._weight, 0.5)
    assert until(lambda: node.get('left.weight') == 0.5)
    user_chooses(panel._priority, 2)
    assert until(lambda: node.get('left.priority') == 2)
    user_chooses(panel._type, 'half_space')
    assert set(panel._fields) == {'link', 'point', 'origin', 'normal'}
    panel._name.value = 'above'
    panel._fields['link'].value = 'right_tool0'
    panel._fields['origin'].value = '0, 0, 0.25'
    user_presses(panel._add)
    assert until(lambda: node.get('tasks') == ['left', 'above']
                 and node.get('above.type') == 'half_space')
    assert list(node.get('above.origin')) == [0.0, 0.0, 0.25]
    assert until(lambda: panel._task.options == ('left', 'above'))
    for name in ('left', 'above'):
        assert until(lambda name=name: name in panel._task.options)
        user_chooses(panel._task, name)
        user_presses(panel._delete)
        assert until(lambda name=name: name not in panel._task.options)
    assert node.get('tasks') == 'none'
    assert node.get('solver') == 'dls'
    assert until(lambda: view._gizmo is not None and not robot_view.tasks)


def test_what_the_node_refuses_leaves_no_task_behind(seen):
    node, view, _ = seen
    panel, said = view._tasks, []
    panel._notify = said.append
    user_chooses(panel._type, 'align_axis')
    panel._name.value = 'wrong'
    panel._fields['axis'].value = '0 0'
    user_presses(panel._add)
    assert until(lambda: said)
    assert 'axis' in said[0]
    assert until(lambda: node.get('tasks') == 'none')
    panel._fields['axis'].value = 'up'
    user_presses(panel._add)
    assert until(lambda: len(said) > 1)
    assert said[1] == "axis must be numbers with spaces between, not 'up'"
    assert node.get('tasks') == 'none'


@pytest.mark.parametrize('kind', TYPES)
def test_every_type_can_be_made_with_what_the_form_has_at_first(seen, kind):
    node, view, robot_view = seen
    panel, said = view._tasks, []
    panel._notify = said.append
    user_chooses(panel._type, kind)
    panel._name.value = kind
    for field in ('link_a', 'link'):
        if field in panel._fields:
            panel._fields[field].value = 'left_tool0'
    user_presses(panel._add)
    assert until(lambda: said or (robot_view.tasks == (kind,)
                                  and node.get(f'{kind}.type') == kind))
    assert not said, said
    assert until(lambda: panel._task.options == (kind,))
    user_chooses(panel._task, kind)
    user_presses(panel._delete)
    assert until(lambda: node.get('tasks') == 'none' and not robot_view.tasks)
