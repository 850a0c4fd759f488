"""Maps of retargeting: what they hold, and errors that name the entry."""

import pytest
import yaml

from ik_node import ModelError
from ik_node.mocap.retargeting_map import Entry, MapOptions, RetargetingMap, read_map
from walking import FOLDER, MAP

ENTRY = {'bone': 'root', 'link': 'pelvis'}


def refusal(values):
    with pytest.raises(ModelError) as raised:
        RetargetingMap.read(values, "the map 'm.yaml'")
    text = str(raised.value)
    assert text.startswith("the map 'm.yaml'")
    return text


def one(**fields):
    return {'tasks': {'hand': {**ENTRY, **fields}}}


@pytest.mark.parametrize('file', sorted(FOLDER.glob('*.yaml')), ids=lambda file: file.stem)
def test_maps_of_the_package_are_read(file):
    found = read_map(file)
    assert found.tasks['left_foot'].hold
    assert found.source == f'the map {str(file)!r}'


def test_fields_left_out_have_their_defaults():
    found = RetargetingMap.read({'tasks': {'hips': ENTRY}})
    assert found.tasks['hips'] == Entry('root', 'pelvis')
    assert found.options == MapOptions()
    assert (dict(found.figure_rest), dict(found.robot_rest)) == ({}, {})


def test_parents_come_before_their_children_whatever_the_order_in_the_file():
    found = RetargetingMap.read({'tasks': {
        'hand': {**ENTRY, 'parent': 'arm'}, 'arm': {**ENTRY, 'parent': 'chest'}, 'chest': ENTRY}})
    assert list(found.tasks) == ['chest', 'arm', 'hand']


def test_rest_poses_are_read():
    found = RetargetingMap.read({**one(), 'rest': {'figure': {'a': 1}, 'robot': {'b': -0.5}}})
    assert (dict(found.figure_rest), dict(found.robot_rest)) == ({'a': 1.0}, {'b': -0.5})


@pytest.mark.parametrize(('fields', 'text'), [
    ({'bone': ''}, 'tasks.hand must have a bone'),
    ({'link': ''}, 'tasks.hand must have a link'),
    ({'priority': -1}, 'tasks.hand.priority must be'),
    ({'hold': True, 'type': 'orientation'}, 'tasks.hand.hold needs the type pose or position'),
    ({'hold': True, 'weight': 0.0}, 'tasks.hand.hold needs a weight above 0'),
    ({'parent': 'arm'}, "tasks.hand.parent: there is no entry 'arm'"),
    ({'parent': 'hand'}, "the parents of the tasks 'hand' form a loop"),
    ({'type': 'look_at'}, 'tasks.hand must have an axis'),
    ({'axis': [1, 0, 0]}, 'tasks.hand must have an axis with the type look_at, and only'),
    ({'type': 'look_at', 'axis': [0, 0, 0]}, 'tasks.hand.axis must not be zero'),
    ({'side': 'left'}, "there is no tasks.hand option 'side'"),
])
def test_a_malformed_entry_is_named(fields, text):
    assert text in refusal(one(**fields))


@pytest.mark.parametrize(('values', 'text'), [
    (None, 'must be a mapping'),
    ([], 'must be a mapping'),
    ({}, 'tasks must be a mapping, not None'),
    ({'tasks': {}}, 'tasks must have at least one entry'),
    ({'tasks': {'hand': 'lhand'}}, "tasks.hand must be a mapping, not 'lhand'"),
    ({'tasks': {3: ENTRY}}, 'the names of tasks must be texts, not 3'),
    ({**one(), 'task': {}}, "there is no key 'task'; did you mean 'tasks'?"),
    ({**one(), 'scale': 0.0}, 'scale must be'),
    ({**one(), 'solver': 'dls'}, 'solver must be'),
    ({**one(), 'rest': 1}, 'rest must be a mapping'),
    ({**one(), 'rest': {'walker': {}}}, "rest: there is no key 'walker'"),
    ({**one(), 'rest': {'robot': {'knee': 'bent'}}}, "rest.robot: 'knee' must be a number"),
    ({**one(), 'rest': {'figure': {'knee': None}}}, "rest.figure: 'knee' must be a number"),
])
def test_a_malformed_map_is_refused(values, text):
    assert text in refusal(values)


def test_a_file_that_is_missing_or_no_yaml_is_named(tmp_path):
    with pytest.raises(ModelError, match='cannot read the map'):
        read_map(tmp_path / 'none.yaml')
    (tmp_path / 'm.yaml').write_text('tasks: [')
    with pytest.raises(ModelError, match=r'the map .*m\.yaml.* is not YAML'):
        read_map(tmp_path / 'm.yaml')


def test_every_field_and_option_is_in_the_documentation():
    page = (MAP.parents[2] / 'docs/retargeting.md').read_text()
    for name in (*Entry.specs(), *MapOptions.specs()):
        assert f'| `{name}` |' in page


def test_the_example_of_the_documentation_is_a_map():
    page = (MAP.parents[2] / 'docs/retargeting.md').read_text()
    example = yaml.safe_load(page.split('```yaml\n')[1].split('```')[0])
    assert RetargetingMap.read(example).tasks['left_foot'].hold
