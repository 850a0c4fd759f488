import pytest

import robots
from harness.page_here import page_with
from ik_node.control.task_options import TYPES


@pytest.fixture
def page():
    with page_with('torso', tip_link='right_tool0') as made:
        yield made


def fill(page, kind, name, **fields):
    page.choose('Add a task', 'type', value=kind)
    page.put('Add a task', 'name', value=name)
    for field, value in fields.items():
        page.put('Add a task', field, value=value)


def add(page, kind, name, **fields):
    fill(page, kind, name, **fields)
    page.press('Add a task', 'Add the task')


def test_the_first_task_brings_a_solver_and_the_last_takes_it_away(page):
    assert 'No tasks yet' in page.text('Tasks')
    assert not page.shows('Tasks', 'Delete the task')
    add(page, 'pose', 'left', link='left_tool0')
    assert page.told == []
    assert [page.node.get(name) for name in ('tasks', 'solver', 'left.type', 'left.link')] == [
        ['left'], 'least_squares', 'pose', 'left_tool0']
    assert page.widget('Tasks', 'task').value == 'left'
    assert page.handle('left') is not None  # it can be dragged
    assert 'No tasks yet' not in page.text('Tasks')
    page.type('Tasks', 'weight', value='0.5')
    page.type('Tasks', 'priority', value='2')
    assert (page.node.get('left.weight'), page.node.get('left.priority')) == (0.5, 2)
    add(page, 'half_space', 'above', link='right_tool0', origin='0, 0, 0.25')
    assert page.node.get('tasks') == ['left', 'above']
    assert page.widget('Tasks', 'task').value == 'above'
    assert page.node.get('above.origin') == [0.0, 0.0, 0.25]
    assert page.widget('Add a task', 'name').value == 'above_2'  # of the next one
    page.node.set(left__weight=0.7)
    page.choose('Tasks', 'task', value='left')
    assert page.widget('Tasks', 'weight').value == '0.7'
    for name in ('left', 'above'):
        page.choose('Tasks', 'task', value=name)
        page.press('Tasks', 'Delete the task')
        assert name not in page.widget('Tasks', 'task').options
    assert (page.node.get('tasks'), page.node.get('solver')) == ('none', 'dls')
    assert page.handle() is not None
    assert not page.shows('Tasks', 'Delete the task')


def test_ends_are_proposed_that_have_no_task_yet(page):
    link = page.widget('Add a task', 'link')
    first = link.value
    tree = page.robot_view.tree
    assert first in tree.leaves()
    page.press('Add a task', 'Add the task')
    assert page.widget('Add a task', 'link').value in {*tree.leaves()} - {first}
    assert {*page.widget('Add a task', 'link').options} == {*tree.links}


def test_a_skeleton_has_handles_at_hands_feet_and_head(page):
    page.upload('Open a file …', name='walker.asf', content=(
        robots.OWN.parent / 'config/motions/walker.asf').read_bytes())
    limbs = ['lhand', 'rhand', 'lfoot', 'rfoot', 'head']
    assert page.node.get('tasks') == limbs
    assert all(page.handle(limb) is not None for limb in limbs)
    tree = page.robot_view.tree  # whose root does not move
    assert any(joint.moves for joint in tree.path(
        tree.root, page.widget('Add a task', 'link').value))
    assert page.told == []


def test_enter_in_the_name_of_a_task_makes_none_whose_type_and_link_are_not_chosen(page):
    page.put('Add a task', 'name', value='left')
    page.enter('Add a task', 'name')
    assert page.widget('Tasks', 'task').options == ('–',)


@pytest.mark.parametrize(('fields', 'reason'), [
    ({'axis': '0 0'}, 'axis'),
    ({'axis': 'up'}, "axis must be a number, not 'up'"),
    ({'axis': ''}, 'axis')], ids=['too short', 'text', 'nothing'])
def test_what_is_refused_leaves_no_task_behind(page, fields, reason):
    add(page, 'align_axis', 'wrong', **fields)
    assert len(page.told) == 1
    assert reason in page.told[0]
    assert page.node.get('tasks') == 'none'
    assert page.widget('Tasks', 'task').options == ('–',)


def test_a_name_is_used_once_and_a_refused_weight_is_reported(page):
    add(page, 'position', 'one')
    add(page, 'position', 'one')
    assert page.told == ["there is a task 'one' already"]
    page.node.refusal = 'it is busy'
    page.type('Tasks', 'weight', value='3.0')
    assert page.told[1:] == ['it is busy']
    assert page.widget('Tasks', 'weight').value == '1.0'
    page.type('Tasks', 'priority', value='1.5')
    assert page.told[2].startswith('priority must be a whole number')


@pytest.mark.parametrize('kind', TYPES)
def test_every_type_can_be_made_with_what_the_form_has_at_first(page, kind):
    page.choose('Add a task', 'type', value=kind)
    fields = {path[-1] for path, *_ in page.widgets() if 'Add a task' in path}
    add(page, kind, kind, **{field: 'left_tool0' for field in ('link_a', 'link')
                             if field in fields})
    assert page.told == []
    assert (page.node.get('tasks'), page.node.get(f'{kind}.type')) == ([kind], kind)
    assert page.widget('Tasks', 'task').options == (kind,)


def test_tasks_are_taken_back_and_made_again(page):
    add(page, 'pose', 'left', link='left_tool0')
    page.type('Tasks', 'weight', value='0.5')
    page.press('Tasks', 'Delete the task')
    history = page.view.page.history
    for move, weight in ((history.undo, 0.5), (history.undo, 1.0)):
        move()
        assert (page.node.get('tasks'), page.node.get('left.link')) == (['left'], 'left_tool0')
        assert page.node.get('left.weight') == weight
    history.undo()
    assert page.node.get('tasks') == 'none'
    history.redo()
    assert page.node.get('left.link') == 'left_tool0'
