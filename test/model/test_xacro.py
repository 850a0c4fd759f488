"""xacro without ROS: packages, expressions of roslaunch, and what xacro leaves behind."""

import sys

import pytest

import robots
from hostile_texts import chain
from ik_node import KinematicTree, ModelError
from ik_node.model.readers import read_model, read_urdf_text
from opened_files import opened_files

ARM = chain(3)
XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
MACRO = f'''<robot {XACRO}><xacro:macro name="arm" params="length">
    <link name="base"/><link name="tip"/><joint name="j" type="prismatic"><parent link="base"/>
    <child link="tip"/><axis xyz="0 0 1"/><limit lower="0" upper="${{length}}"/></joint>
    </xacro:macro></robot>'''


def robot(inner):
    return f'<robot name="r" {XACRO}>{inner}</robot>'


def including(package):
    return robot(f'<xacro:include filename="$(find {package})/urdf/arm.xacro"/>'
                 '<xacro:arm length="2.5"/>')


@pytest.fixture(autouse=True)
def without_ros(monkeypatch):
    """Have neither AMENT_PREFIX_PATH nor ROS_PACKAGE_PATH."""
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    monkeypatch.delenv('ROS_PACKAGE_PATH', raising=False)


def package(folder, name='arm_parts', declared=None):
    """Make a package with the macro of an arm; return its folder."""
    parts = folder / name
    (parts / 'urdf').mkdir(parents=True)
    (parts / 'urdf/arm.xacro').write_text(MACRO)
    (parts / 'package.xml').write_text(f'<package><name>{declared or name}</name></package>')
    return parts


def upper(tree):
    return tree.joints['j'].upper


@pytest.mark.parametrize('around', ['within', 'beside', 'renamed', 'no package.xml'])
@pytest.mark.parametrize('suffix', ['.xacro', '.urdf'])
def test_packages_around_the_file_are_found(tmp_path, around, suffix):
    name = 'arm_parts-main' if around == 'renamed' else 'arm_parts'
    parts = package(tmp_path, name, 'arm_parts')
    if around == 'no package.xml':
        (parts / 'package.xml').unlink()
    folder = tmp_path / 'robot/urdf' if around == 'beside' else parts / 'robots'
    folder.mkdir(parents=True)
    file = folder / f'arm{suffix}'
    file.write_text(including('arm_parts'))
    assert upper(KinematicTree.from_urdf(file)) == 2.5


@pytest.mark.parametrize('inner', ['', 'arm_parts'])
def test_packages_that_the_user_names_are_found(tmp_path, monkeypatch, inner):
    package(tmp_path / 'elsewhere')
    folder = tmp_path / 'elsewhere' / inner
    text = including('arm_parts')
    assert upper(KinematicTree.from_urdf(text, package_folders=[folder])) == 2.5
    assert upper(read_model(text, package_folders=[str(folder)])) == 2.5
    monkeypatch.setenv('ROS_PACKAGE_PATH', f'/nowhere:{folder}')
    assert upper(KinematicTree.from_urdf(text)) == 2.5


def test_the_name_of_a_package_may_be_computed(tmp_path):
    package(tmp_path)
    text = including("${'arm' + '_parts'}")
    assert upper(KinematicTree.from_urdf(text, package_folders=[tmp_path])) == 2.5


def test_a_package_that_is_not_found_is_named_in_one_sentence(capfd):
    with pytest.raises(ModelError, match='ROS_PACKAGE_PATH or package_folders') as refused:
        KinematicTree.from_urdf(including('arm_parts'))
    assert str(refused.value).count("'arm_parts'") == 1
    assert 'AMENT_PREFIX_PATH' not in str(refused.value)
    assert capfd.readouterr() == ('', '')


def test_xacro_itself_is_left_as_it_was(tmp_path):
    package(tmp_path)
    KinematicTree.from_urdf(including('arm_parts'), package_folders=[tmp_path])
    assert sys.modules['xacro'].eval_extension.__module__ == 'xacro'


EXPRESSIONS = ('$(eval 1.5 + 1)', '$(env ARM_LENGTH)', '$(optenv ARM_LENGTH 3)',
               '$(optenv NO_LENGTH 2.5)')


@pytest.mark.parametrize('expression', EXPRESSIONS)
def test_expressions_of_roslaunch_are_evaluated_in_every_source_of_the_caller(
        tmp_path, monkeypatch, expression):
    monkeypatch.setenv('ARM_LENGTH', '2.5')
    text = robots.robot(robots.joint('j', 'prismatic', 'base', 'tip',
                                     limit=f'lower="0" upper="{expression}"'))
    for name in ('arm.urdf', 'arm.xacro'):
        (tmp_path / name).write_text(text)
        assert upper(KinematicTree.from_urdf(tmp_path / name)) == 2.5
    assert upper(KinematicTree.from_urdf(text)) == 2.5


@pytest.mark.parametrize('expression', EXPRESSIONS)
def test_expressions_of_roslaunch_are_refused_in_text_of_others(expression):
    with opened_files() as opened, pytest.raises(ModelError, match='uses xacro'):
        read_urdf_text(ARM.replace('<link ', f'<a b="{expression}"/><link ', 1))
    assert opened == []


@pytest.mark.parametrize('value', ['$(env', '$(environment X)', '$ (env X)', '$(find x)', '${x'])
def test_other_dollar_signs_are_text(value):
    assert read_urdf_text(ARM.replace('<link ', f'<a b="{value}"/><link ', 1)).warnings == ()


LEFT = ('<xacro:sensors_usb port="none"/>', '<gazebo><xacro:grey/></gazebo>',
        '<material name="m"><xacro:grey/></material>', '<xacro:sensors><link name="x"/>'
        '</xacro:sensors>', '<xacro:insert_block name="origin"/>', '<xacro:grey a="${b}"/>')


@pytest.mark.parametrize('left', LEFT)
@pytest.mark.parametrize('declared', [True, False])
def test_what_xacro_left_behind_is_ignored_with_a_warning(tmp_path, left, declared):
    text = ARM.replace('<robot ', f'<robot {XACRO if declared else ""} ').replace(
        '<link ', f'{left}<link ', 1)
    (tmp_path / 'arm.urdf').write_text(text)
    word = left[left.index('xacro:'):].split()[0].split('/')[0].split('>')[0]
    for tree in (KinematicTree.from_urdf(text), KinematicTree.from_urdf(tmp_path / 'arm.urdf'),
                 read_urdf_text(text)):
        assert tree.links == ('l0', 'l1', 'l2')
        assert len(tree.warnings) == 1
        assert repr(word) in tree.warnings[0]


def test_a_call_of_an_unknown_macro_is_an_error_in_the_input_of_xacro(tmp_path):
    text = robot('<link name="base"/><xacro:arm length="1"/>')
    (tmp_path / 'arm.xacro').write_text(text)
    with pytest.raises(ModelError, match='unknown macro name: xacro:arm'):
        KinematicTree.from_urdf(tmp_path / 'arm.xacro')
    with pytest.raises(ModelError, match='unknown macro name: xacro:leg'):
        KinematicTree.from_urdf(robot(
            '<xacro:include filename="$(find arm_parts)/urdf/arm.xacro"/><xacro:leg/>'),
            package_folders=[package(tmp_path)])


def test_unknown_calls_beside_macros_that_are_defined_are_ignored():
    text = robot(MACRO.partition('>')[2].removesuffix('</robot>')
                 + '<xacro:arm length="2.5"/><xacro:grey/><gazebo><sensor:camera/></gazebo>'
                 '<!-- a -- comment -->')
    tree = KinematicTree.from_urdf(text)
    assert upper(tree) == 2.5
    assert "'xacro:grey'" in tree.warnings[0]
