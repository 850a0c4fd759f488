"""What may be read of what comes from outside: no files, no networks, and no more than fits."""

import os
import re

import pytest

from hostile_texts import BOMB, chain
from ik_node import IkError, KinematicTree, ModelError
from ik_node.model.hierarchy import drives_of
from ik_node.model.joints import Joint, Mimic
from ik_node.model.pose_library import PoseLibrary, read_group_states
from ik_node.model.readers import read_urdf_text
from ik_node.support.bounds import MAX_BYTES
from opened_files import opened_files

ARM = chain(3)


def inside(text, into=ARM):
    return into.replace('<robot name="deep">', f'<robot name="deep">{text}')


@pytest.mark.parametrize(('text', 'words'), [
    (BOMB + ARM, 'declares the XML entity'),
    (inside('&x;'), 'not XML: undefined entity'),
    ('', 'is empty'),
    (inside('<a>' * 100 + '</a>' * 100), 'more than 50 deep in each other'),
    (inside('<a/>' * 100_000), 'too many elements; at most 100000 are allowed'),
    (inside('<!--' + 'x' * MAX_BYTES + '-->'), 'too large; at most 8 MiB are read'),
    (inside('<a ' + ' '.join(f'a{k}=""' for k in range(201)) + '/>'),
     "an element 'a' has 201 attributes; at most 200 are allowed"),
    # Defaults of attributes make parsing quadratic, and are written without any element.
    ('<!DOCTYPE robot [<!ATTLIST robot version CDATA "1.0">]>' + ARM, "attributes of 'robot' in"),
    (inside('<joint name="j0"/>' * 2001), 'has 2003 joints; at most 2000 are allowed'),
    (chain(2001), 'has 2001 links; at most 2000 are allowed'),
    (inside(f'<link name="{"x" * 256}"/>'), 'a name of 256 characters, .*; at most 255'),
    (ARM.replace('<axis', '<origin xyz="1e10 0 0"/><axis', 1), "'j0': its origin .* 1e.09 in size"),
    (ARM.replace('<axis', '<origin rpy="0 1e308 0"/><axis', 1), "'j0': its origin"),
    (ARM.replace('<axis', '<mimic joint="j1" multiplier="1e10"/><axis', 1), 'multiplier 1e.10 and'),
    (ARM.replace('<axis', '<mimic joint="j1" multiplier="5e-324"/><axis', 1), 'at least 1e-09'),
    (ARM.replace('child link="l2"', 'child link="l0"'), 'has a parent|parent|root'),
])
def test_a_text_that_was_sent_is_refused_where_it_wants_more_than_it_may(text, words):
    with pytest.raises(ModelError, match=words) as refused:
        read_urdf_text(text)
    assert 'root:' not in str(refused.value)  # as /etc/passwd begins


@pytest.mark.parametrize('text', [
    '<!DOCTYPE robot SYSTEM "file:///etc/passwd">' + ARM,
    inside('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/passwd"/>'),
    inside('<link name="m"><visual><geometry><mesh filename="file:///etc/passwd"/></geometry>'
           '</visual></link><joint name="m" type="fixed"><parent link="l0"/><child link="m"/>'
           '</joint>')])
def test_what_a_description_only_names_is_not_opened(text):
    with opened_files() as opened:
        assert 'l2' in read_urdf_text(text).links
    assert opened == []


def test_a_chain_of_mimics_whose_factors_grow_without_end_is_refused():
    text = chain(60)
    for k in range(58):
        text = text.replace(f'child link="l{k + 1}"/>',
                            f'child link="l{k + 1}"/><mimic joint="j{k + 1}" multiplier="1e8"/>')
    with pytest.raises(ModelError, match="'j0' follows 'j58' with multiplier 1e.464|inf"):
        read_urdf_text(text)


class Counted(dict):
    """A mapping that counts how often it is read."""

    reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return super().__getitem__(key)


@pytest.mark.parametrize('reverse', [False, True])
def test_mimics_of_mimics_are_followed_in_linear_work(reverse):
    count, ends = 1999, range(1999)
    joints = Counted({f'j{k}': Joint(f'j{k}', 'revolute', f'l{k}', f'l{k + 1}', mimic=Mimic(
        f'j{k + 1}', -1.0, 0.5) if k < count - 1 else None)
        for k in (reversed(ends) if reverse else ends)})
    drives = drives_of(joints)
    assert joints.reads <= count
    assert list(drives) == list(joints)
    assert drives['j0'] == ('j1998', 1.0, 0.0)  # an even number of steps
    assert drives['j1'] == ('j1998', -1.0, 0.5)


def test_a_long_circle_of_mimics_is_refused():
    joints = {f'j{k}': Joint(f'j{k}', 'revolute', f'l{k}', f'l{k + 1}',
                             mimic=Mimic(f'j{(k + 1) % 1999}')) for k in range(1999)}
    with pytest.raises(ModelError, match="'j0' mimics itself: j0 → j1 → "):
        drives_of(joints)


def test_warnings_are_few_and_short():
    link = ('<link name="v">' + '<visual/>' * 5000 + '</link><joint name="v" type="fixed">'
            '<parent link="l0"/><child link="v"/></joint>')
    warnings = read_urdf_text(inside(link)).warnings
    assert len(warnings) == 101
    assert warnings[-1] == '… and 4900 more warnings'
    shape = f'<visual><geometry><cone size="{"1 " * 10**6}"/></geometry></visual>'
    warning, = read_urdf_text(inside(link.replace('<visual/>' * 5000, shape))).warnings
    assert len(warning) < 4100


def test_a_list_of_numbers_is_read_no_further_than_it_may_go_on():
    shape = f'<visual><geometry><box size="{"1 " * 10**6}"/></geometry></visual>'
    tree = read_urdf_text(inside(f'<link name="v">{shape}</link><joint name="v" type="fixed">'
                                 '<parent link="l0"/><child link="v"/></joint>'))
    assert tree.visuals == {}
    assert len(tree.warnings[0]) < 200


def test_a_xacro_file_may_not_declare_entities_either(tmp_path):
    file = tmp_path / 'arm.xacro'
    file.write_text('<!DOCTYPE r [<!ENTITY x "y">]>' + ARM)
    with pytest.raises(ModelError, match='declares the XML entity'):
        KinematicTree.from_urdf(file)


def test_a_codec_that_is_none_for_text_is_refused(tmp_path):
    file = tmp_path / 'arm.urdf'
    for codec in ('idna', 'zlib', 'undefined', 'nowhere'):
        file.write_text(f'<?xml version="1.0" encoding="{codec}"?>' + inside('<!-- é.. -->'))
        with pytest.raises(ModelError, match=f'is not text in {codec}'):
            KinematicTree.from_urdf(file)


READERS = [KinematicTree.from_urdf, KinematicTree.from_dh,
           lambda file: PoseLibrary.from_yaml(file, read_urdf_text(ARM)),
           lambda file: PoseLibrary.from_srdf(file, read_urdf_text(ARM))]


@pytest.mark.parametrize('reader', READERS)
def test_devices_pipes_and_files_without_end_are_not_read(reader, tmp_path):
    pipe, large = tmp_path / 'pipe', tmp_path / 'large'
    os.mkfifo(pipe)
    with open(large, 'wb') as file:
        file.truncate(MAX_BYTES + 1)
    for path, words in (('/dev/zero', 'not a regular file'), (str(pipe), 'not a regular file'),
                        (str(large), 'too large; at most 8 MiB')):
        with pytest.raises(ModelError, match=words):
            reader(path)


ROW = '{type: revolute, a: 0.1, alpha: 0, d: 0, theta: 0}'
ALIASES = 'x0: &x0 [z, z]\n' + ''.join(
    f'x{k}: &x{k} [{", ".join([f"*x{k - 1}"] * 9)}]\n' for k in range(1, 30))


@pytest.mark.parametrize(('text', 'words'), [
    (ALIASES, 'too many values; at most 100000 are allowed'),
    ('joints: &a [*a]', 'a value contains itself'),
    ('joints: ' + '[' * 300 + ']' * 300, 'more than 50 deep in each other'),
    ('joints: [' + '1,' * 100_001 + ']', 'too many values'),
    ('joints: ' + '9' * 5000, 'a value has 5000 characters; at most 4096 are allowed'),
    ('joints: ' + '1:' * 3000 + '1', 'a value has 6001 characters'),  # quadratic in base 60
    ('joints: 2001-99-99', 'not YAML'), ('joints: [', 'is not YAML'),
    ('- 1\n- 2\n', 'must be a mapping with the keys'), ('', 'must be a mapping with the keys'),
    ('joints: !!python/object/apply:os.getcwd []', 'not YAML'),
    ('convention: standard\nconvention: modified', "'convention' appears twice"),
    ('convention: standard\njoints:\n' + f'- {ROW}\n' * 2001, 'at most 2000 rows, not 2001'),
    (f'convention: standard\njoints: [{ROW.replace("0.1", "1e+10")}]'.replace('1e+10', '1.0e+10'),
     'a must be at most 1e.09 in size'),
    (f'convention: standard\njoints: [{ROW.replace("0.1", "9" * 400)}]', 'a must be at most'),
    ('convention: standard\njoints: [{name: ' + 'x' * 256 + f', {ROW[1:]}]', 'at most 255'),
])
def test_rows_are_bounded_before_anything_is_made_of_them(tmp_path, text, words):
    file = tmp_path / 'arm.yaml'
    file.write_text(text)
    with pytest.raises(ModelError, match=words):
        KinematicTree.from_dh(file)


def test_aliases_that_stand_for_little_are_read(tmp_path):
    file = tmp_path / 'arm.yaml'
    file.write_text(f'convention: standard\njoints: [&a {ROW}, *a, {{<<: *a, d: 0.2}}]')
    assert KinematicTree.from_dh(file).chain().n_joints == 3


def test_group_states_are_bounded():
    state = '<group_state name="s{}" group="g"><joint name="j0" value="0"/></group_state>'
    text = '<robot name="r">' + ''.join(map(state.format, range(1001))) + '</robot>'
    with pytest.raises(ModelError, match='has 1001 group states; at most 1000 are allowed'):
        read_group_states(text)
    assert len(read_group_states(text.replace(state.format(7), ''))[1]) == 1000


@pytest.mark.parametrize(('text', 'words'), [
    (ALIASES, 'too many values'), ('poses: &a {a: *a}', 'contains itself'),
    ('poses: {home: {j0: ' + '9' * 400 + '}}', 'must be a finite number'),
    ('poses: {home: {j0: ' + '9' * 5000 + '}}', 'not YAML'),
    ('poses: {' + 'x' * 256 + ': {j0: 0}}', 'a name of 256 characters')])
def test_poses_are_bounded_before_anything_is_made_of_them(tmp_path, text, words):
    file = tmp_path / 'poses.yaml'
    file.write_text(text)
    with pytest.raises(ModelError, match=words):
        PoseLibrary.from_yaml(file, read_urdf_text(ARM))


def test_a_message_quotes_no_more_than_fits():
    tree = read_urdf_text(chain(1500))
    with pytest.raises(IkError) as refused:
        tree.chain(tip_link='y' * 10**6)
    assert len(str(refused.value)) < 4100
    assert re.match("there is no tip link 'yyy", str(refused.value))


def test_limits_of_rows_beyond_all_bounds_are_none(tmp_path):
    tree = KinematicTree.from_dh({'convention': 'standard', 'joints': [
        {'type': 'revolute', 'a': 1, 'alpha': 0, 'd': 0, 'theta': 0, 'lower': -1e308, 'upper': 2}]})
    assert tree.joints['joint_1'].lower == float('-inf')
    assert tree.joints['joint_1'].upper == 2
