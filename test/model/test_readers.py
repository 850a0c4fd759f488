import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import robots
from ik_node import KinematicTree, ModelError
from ik_node.model import readers
from ik_node.model.parts import ModelParts
from ik_node.model.readers import FORMATS, READERS, Reader, find_reader, read_model

ROWS = Path(__file__).parents[2] / 'config/dh/puma560.yaml'
ARM = robots.OWN / 'arm_6r.urdf'
XACRO = '''<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
    <xacro:arg name="length" default="1"/><link name="base"/><link name="tip"/>
    <joint name="j" type="floating"><parent link="base"/><child link="tip"/>
    <origin xyz="$(arg length) 0 0"/></joint></robot>'''


@pytest.mark.parametrize(('file', 'kind'), [
    ('a.urdf', 'URDF'), ('a.XACRO', 'xacro'), ('a.urdf.xacro', 'xacro'), ('a.yaml', 'DH rows'),
    ('a.yml', 'DH rows')])
def test_an_extension_names_the_reader_before_the_file_is_opened(file, kind):
    assert find_reader(f'/nowhere/{file}').name == kind


@pytest.mark.parametrize(('source', 'kind'), [
    (ARM.read_text(), 'URDF'), (ROWS.read_text(), 'DH rows'), (XACRO, 'xacro'),
    ('\ufeff <robot name="r"><link name="a"/></robot>', 'URDF')])
def test_a_text_and_a_file_of_another_extension_are_recognised_by_their_content(
        source, kind, tmp_path):
    assert find_reader(source).name == kind
    (tmp_path / 'robot.txt').write_text(source)
    assert find_reader(tmp_path / 'robot.txt').name == kind


@pytest.mark.parametrize(('root', 'kind'), [
    ('robot', 'URDF'), ('mujoco', 'MJCF'), ('sdf', 'SDF')])
def test_a_text_is_recognised_after_any_number_of_comments(root, kind):
    head = '<?xml version="1.0"?>\n' + '<!-- a licence, -->\n<!-- line by line -->' * 1000
    assert find_reader(f'{head}<{root}/>').name == kind


@pytest.mark.parametrize('file', [ARM, ROWS])
def test_a_file_its_text_and_its_copy_without_extension_are_the_same_robot(file, tmp_path):
    expected = {ARM: KinematicTree.from_urdf, ROWS: KinematicTree.from_dh}[file](file).to_urdf()
    shutil.copy(file, tmp_path / 'robot')
    for source in (file, str(file), file.read_text(), tmp_path / 'robot'):
        assert read_model(source).to_urdf() == expected


def test_the_arguments_of_xacro_and_joints_held_fixed_reach_the_reader(tmp_path):
    file = tmp_path / 'arm.xacro'
    file.write_text(XACRO)
    tree = read_model(file, {'length': 2.5}, hold_complex_joints=True)
    assert tree.forward()['tip'][0, 3] == 2.5
    assert not tree.joints['j'].moves
    assert len(read_model(file).complex_joints) == 1
    assert read_model(ROWS, {'length': 2.5}, hold_complex_joints=True).links  # nothing to rows


@pytest.mark.parametrize('content', ['ISO-10303-21;', '', '<svg/>', 'bones:\n  - a\n', '\0' * 9])
def test_what_no_reader_knows_is_refused_with_the_list_of_those_that_are(content, tmp_path):
    file = tmp_path / 'arm.step'
    file.write_text(content)
    with pytest.raises(ModelError) as error:
        read_model(file)
    assert 'arm.step' in str(error.value)
    for kind in ('URDF (.urdf or .xml)', 'xacro (.xacro)', 'DH rows (.yaml or .yml)'):
        assert kind in str(error.value)


def test_a_text_that_no_reader_knows_is_refused_with_how_it_begins():
    with pytest.raises(ModelError, match=r"the text is none of .*URDF.*begins with '<svg/>'"):
        read_model('<svg/>')


@pytest.mark.parametrize(('source', 'words'), [
    (Path('/nowhere/arm.step'), 'cannot read the file .*arm.step.*URDF'),
    ('/nowhere/arm.urdf', 'cannot read the robot description'),
    ('/nowhere/arm.yaml', 'cannot read the DH table'), ('', 'cannot read the file'),
    ('/dev/zero', 'not a regular file'), (None, 'must be a path'), (3, 'must be a path')])
def test_a_file_that_cannot_be_read_is_refused(source, words):
    with pytest.raises(ModelError, match=words):
        read_model(source)


def test_of_readers_that_share_an_extension_the_content_chooses(tmp_path, monkeypatch):
    def read_chain(source):
        return ModelParts(['base'], [], name=Path(source).stem)
    monkeypatch.setattr(readers, 'READERS', (
        *READERS, Reader('chains', ('.yaml',), lambda head: head.startswith('chain:'), read_chain)))
    file = tmp_path / 'mine.yaml'
    file.write_text('chain: {}\n')
    assert read_model(file).name == 'mine'
    assert read_model(ROWS).links == KinematicTree.from_dh(ROWS).links


def test_the_reader_of_the_documentation_reads_its_sources(tmp_path, monkeypatch):
    page = (ROWS.parents[2] / 'docs/adding_a_model_source.md').read_text()
    code, line = re.findall(r'```python\n(.*?)```', page, re.DOTALL)
    defined = {}
    exec(compile(code, 'adding_a_model_source.md', 'exec'), defined)
    added = eval(line.strip().removesuffix(','), {**defined, 'Reader': Reader})
    monkeypatch.setattr(readers, 'READERS', (*READERS, added))
    file = tmp_path / 'arm.rods'
    file.write_text('rods\nupper 0.4\nlower 0.3\n')
    for source in (file, file.read_text()):
        assert read_model(source).forward({'lower': np.pi / 2})['tip'][:3, 3] == pytest.approx(
            [0.4, 0.3, 0.0])
    for text, words in (('upper', "line 2: it must be a name and a length, not 'upper'"),
                        ('upper nan', "line 2: the length must be a number, .* not 'nan'")):
        with pytest.raises(ModelError, match=words):
            read_model(f'rods\n{text}\n')
    with pytest.raises(ModelError, match='cannot read the rods'):
        read_model(tmp_path / 'absent.rods')


def test_every_kind_is_listed_with_its_extensions():
    for reader in READERS:
        assert all(f'{reader.name} (' in FORMATS and extension in FORMATS
                   for extension in reader.extensions)


def test_a_tree_is_built_of_model_parts_only():
    with pytest.raises(ModelError, match='must be ModelParts'):
        KinematicTree.from_parts({'links': ['a']})
    with pytest.raises(ModelError, match='motion_channels must be MotionChannels or None'):
        KinematicTree(['a'], [], motion_channels={})
