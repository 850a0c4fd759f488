import json
import re

import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.commands.ik_inspect import main


def shown(capsys, *arguments):
    assert main([str(argument) for argument in arguments]) == 0
    printed = capsys.readouterr()
    assert printed.err == ''
    return printed.out


def refused(capsys, *arguments):
    """Return the one line with which the command refuses."""
    assert main([str(argument) for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ''
    assert printed.err.count('\n') == 1
    return printed.err


def test_the_tree_is_drawn_with_branches_and_joints(capsys):
    lines = shown(capsys, 'torso').splitlines()
    assert lines[0] == ('torso: 26 links, 25 joints, 22 of them moving, 2 by following another')
    assert lines[2] == 'base_link'
    assert lines[3].split() == ['lift_joint', '→', 'lift_link', 'prismatic', 'z', '0', '…', '0.3',
                                'm']
    drawing = '\n'.join(lines)
    assert '├─ head_pan_joint → head_pan_link ' in drawing
    assert '│  head_camera_fixed → head_camera ' in drawing
    assert '└─ right_joint_1 → right_link_1 ' in drawing
    assert '   └─ right_finger_2_joint → right_finger_2_link  prismatic   y   0 … 0.04 m  ' \
        '= right_finger_joint' in drawing
    for arm in ('left', 'right'):
        assert f'base_link → {arm}_tool0: 9 joints' in drawing


def test_an_arm_is_printed_with_its_task_reach_solvers_and_rows(capsys):
    text = shown(capsys, 'planar_3r')
    assert ('serves 3 of 6 task axes: x, y, rz; it cannot move along z nor turn about x and y'
            in text)
    assert 'at most 30 m from the first joint' in text
    assert 'analytic       yes: planar 3R' in text
    assert 'Denavit-Hartenberg rows, standard' in text
    rows = [line.split() for line in text.splitlines() if line.startswith('  joint_')]
    assert [row[1] for row in rows[:2]] == ['15', '10']
    assert [row[-1] for row in rows] == ['q', 'q', 'q']


def test_an_arm_that_a_solver_does_not_fit_is_described(capsys):
    text = shown(capsys, robots.mimicking_file())
    assert re.search('analytic       no: .*mimics among them', text)
    assert re.search('auto           yes: no closed form, dls is used: .*mimics among them', text)
    assert 'base → tip: 2 joints' in text


def test_rows_come_in_the_convention_asked_for_and_xacro_gets_its_arguments(capsys, tmp_path):
    for convention, there in (('standard', (True, False)), ('modified', (False, True)),
                              ('both', (True, True))):
        text = shown(capsys, 'panda', '--convention', convention)
        assert tuple(f'rows, {name}' in text for name in ('standard', 'modified')) == there
    file = tmp_path / 'arm.xacro'
    file.write_text("""<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
        <xacro:arg name="length" default="1"/><link name="base"/><link name="tip"/>
        <joint name="j" type="prismatic"><parent link="base"/><child link="tip"/>
        <limit lower="0" upper="$(arg length)"/></joint></robot>""")
    assert '0 … 2.5 m' in shown(capsys, file, '--xacro-arg', 'length:=2.5')
    assert 'name:=value' in refused(capsys, file, '--xacro-arg', 'length=2')


def test_base_and_tip_say_which_arm(capsys):
    text = shown(capsys, 'torso', '--base', 'torso_link', '--tip', 'left_tool0')
    assert 'torso_link → left_tool0: 7 joints' in text
    assert 'right_tool0:' not in text


def test_json_has_it_all_and_numbers_to_the_last_digit(capsys):
    report = json.loads(shown(capsys, robots.path('panda'), '--json'))
    tree = robots.tree('panda')
    assert report['links'] == list(tree.links)
    joint = report['joints'][0]
    assert (joint['lower'], joint['upper']) == (tree.joints['panda_joint1'].lower,
                                                tree.joints['panda_joint1'].upper)
    chain = report['chains'][0]
    assert chain['task']['rank'] == 6
    assert chain['solvers']['dls'] == {'fits': True, 'says': ''}
    assert chain['solvers']['analytic']['fits']
    assert chain['solvers']['auto'] == chain['solvers']['analytic']
    q = np.full(7, 0.3)
    for convention in ('standard', 'modified'):
        again = KinematicTree.from_dh(chain['dh'][convention]).chain()
        assert again.forward(q) == pytest.approx(robots.chain('panda').forward(q), abs=1e-9)
    assert report['mass'] == tree.body().mass
    assert report['inertials'] == {link: {
        'mass': inertial.mass, 'center': inertial.center.tolist(),
        'inertia': inertial.inertia.tolist()} for link, inertial in tree.inertials.items()}


def test_json_has_no_infinity(capsys, tmp_path):
    file = tmp_path / 'arm.urdf'
    file.write_text(robots.robot(robots.joint('j', 'continuous', 'base', 'tip')))
    text = shown(capsys, file, '--json')
    assert 'Infinity' not in text
    assert json.loads(text)['joints'][0]['upper'] is None


def test_the_robot_is_printed_as_urdf(capsys):
    again = KinematicTree.from_urdf(shown(capsys, 'puma560', '--urdf'))
    assert again.links == ('base_link', *(f'link_{k}' for k in range(1, 7)), 'tool')
    assert again.visuals


def test_complex_joints_move_or_are_held(capsys, tmp_path):
    file = tmp_path / 'cart.urdf'
    file.write_text(robots.robot(robots.joint('cart', 'planar', 'base', 'tip')))
    assert 'base → tip: 3 joints' in shown(capsys, file)
    assert 'without end' in shown(capsys, file)
    assert 'tip: ' not in shown(capsys, file, '--hold')


ODD = robots.robot(
    robots.joint('a', 'revolute', 'base', 'la', axis='0 0 2'),
    robots.joint('b', 'revolute', 'la', 'lb', rpy='1.5708 0 0',
                 limit='lower="0" upper="0" velocity="1" effort="1"'),
    robots.joint('c', 'revolute', 'lb', 'lc', axis='0 0.0001 0.99999999',
                 limit='lower="-1" upper="1" velocity="1" effort="1"'),
    robots.joint('d', 'revolute', 'lc', 'ld', rpy='0.5 0 0.3', xyz='0 0 1',
                 limit='lower="-1" upper="1" velocity="1" effort="1"'))


def test_what_is_odd_in_a_file_is_reported(capsys, tmp_path):
    file = tmp_path / 'arm.urdf'
    file.write_text(ODD)
    text = shown(capsys, file)
    odd = text[text.index('Odd in the file'):]
    for words in ("joint 'a' is revolute without limits", "joint 'a': its axis",
                  "joint 'b': its limits 0 to 0 allow no motion",
                  "joint 'b' is 3.7e-06 rad off a right angle",
                  "joint 'c' is 1.0e-04 rad off a right angle", "no velocity limit: 'a'"):
        assert words in odd, words
    assert "joint 'd'" not in odd


def test_soft_limits_and_limits_of_mimics_that_are_ignored_are_shown(capsys, tmp_path):
    file = tmp_path / 'gripper.urdf'
    limit = 'lower="0" upper="0.8" velocity="1" effort="1"'
    file.write_text(robots.robot(
        robots.joint('finger', 'revolute', 'base', 'la', limit=limit).replace(
            '<limit', '<safety_controller soft_lower_limit="-1" soft_upper_limit="0.5"/><limit'),
        robots.joint('other', 'revolute', 'base', 'lb', limit=limit,
                     mimic='joint="finger" multiplier="-1"')))
    text = shown(capsys, file)
    finger, = (line for line in text.splitlines() if 'finger → la' in line)
    assert finger.endswith('0 … 0.5 rad (soft limits)')
    odd = text[text.index('Odd in the file'):]
    assert "joint 'other' mimics 'finger': its limits 0 to 0.8 are ignored" in odd
    report = json.loads(shown(capsys, file, '--json'))
    assert [joint.get('soft_limits') for joint in report['joints']] == [True, None]


def test_the_total_mass_is_reported_and_of_how_many_links(capsys):
    lines = shown(capsys, 'torso').splitlines()
    assert 'mass: 48.12 kg, of 23 of 26 links' in lines
    assert not any('inertial' in line for line in lines)
    assert 'mass: no link has one' in shown(capsys, 'puma560').splitlines()


def test_missing_and_unphysical_inertials_are_reported(capsys, tmp_path):
    file = tmp_path / 'arm.urdf'
    inertials = {
        'la': '<inertial><mass value="-2"/><inertia ixx="0" iyy="0" izz="0"/></inertial>',
        'lb': '<inertial><inertia ixx="1" iyy="1" izz="1"/></inertial>',
        'lc': '<collision><geometry><sphere radius="0.1"/></geometry></collision>'}
    text = robots.robot(*(robots.joint(f'j{link}', 'continuous', 'base', link)
                          for link in inertials))
    for link, inner in inertials.items():
        text = text.replace(f'<link name="{link}"/>', f'<link name="{link}">{inner}</link>')
    file.write_text(text)
    printed = shown(capsys, file)
    odd = printed[printed.index('Odd in the file'):]
    words = ("link 'la': its inertial is unphysical, used as it is: the mass -2 kg is negative",
             "link 'lb': its inertial is skipped: it has no <mass", "no usable inertial: 'lc'")
    assert all(word in odd for word in words)
    assert 'mass: -2 kg, of 1 of 4 links' in printed
    report = json.loads(shown(capsys, file, '--json'))
    assert all(any(word in warning for warning in report['warnings']) for word in words)


def test_what_cannot_be_inspected_is_reported_in_one_line(capsys, tmp_path):
    bad = tmp_path / 'bad.yaml'
    bad.write_text('convention: standard\njoints: [{type: revolute}]')
    empty = tmp_path / 'empty.urdf'
    empty.touch()
    assert f'{empty}: the robot description is empty' in refused(capsys, empty)
    assert "row 1 of the DH table: the key 'a' is missing" in refused(capsys, bad)
    assert "there is no tip link 'hand'" in refused(capsys, 'panda', '--tip', 'hand')


def test_a_robot_that_does_not_move_is_shown_too(capsys, tmp_path):
    file = tmp_path / 'table.urdf'
    file.write_text(robots.robot(robots.joint('j', 'fixed', 'base', 'top')))
    assert 'j → top  fixed' in shown(capsys, file)


@pytest.mark.parametrize('step', [24, pytest.param(4, marks=pytest.mark.slow)])
def test_files_of_two_packages_are_shown(capsys, step):
    folders = [robots.package_folder('erd'), robots.package_folder('rtb').parent]
    files = sorted(file for folder in folders for file in folder.rglob('*.urdf'))[::step]
    shown_ones = sum(main([str(file)]) == 0 for file in files)
    assert shown_ones >= len(files) - 1  # see test_urdf_files


def arm_with(tmp_path, shape):
    file = tmp_path / 'arm.urdf'
    link = (f'<collision><geometry>{shape}</geometry></collision>'
            '<visual><geometry><sphere radius="0.1"/></geometry></visual>')
    names = ['one', 'two', 'three', 'four']
    file.write_text('<robot name="arm">' + ''.join(
        f'<link name="{name}">{link if name != "four" else link[link.index("<visual"):]}</link>'
        for name in names) + ''.join(
        f'<joint name="{a}_{b}" type="{kind}"><parent link="{a}"/><child link="{b}"/>'
        '<origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" '
        'velocity="1"/></joint>' for a, b, kind in (
            ('one', 'two', 'revolute'), ('two', 'three', 'revolute'), ('three', 'four', 'fixed')))
        + '</robot>')
    return file


def test_collision_shapes_and_pairs_are_printed_and_why_others_are_not_checked(capsys, tmp_path):
    file = arm_with(tmp_path, '<box size="0.1 0.1 0.1"/>')
    (tmp_path / 'arm.srdf').write_text(
        '<robot name="arm"><disable_collisions link1="one" link2="four"/></robot>')
    assert 'collision' not in shown(capsys, file)
    text = shown(capsys, file, '--collisions')
    assert '  one    box\n' in text
    assert '  four   sphere, of the visual shapes\n' in text
    assert 'pairs of links that are checked: 2\n' in text
    assert 'left out, one joint between them: 3\n  one, two\n' in text
    assert 'left out, fixed to one another: 1\n  three, four' in text
    text = shown(capsys, file, '--srdf', tmp_path / 'arm.srdf')
    assert 'pairs of links that are checked: 1\n' in text
    assert 'left out, disabled: 1\n  one, four' in text


def test_how_far_a_hull_goes_beyond_its_mesh_is_measured(capsys, tmp_path, monkeypatch):
    trimesh = pytest.importorskip('trimesh', reason='trimesh is not installed (make test does it)')
    pytest.importorskip('coal', reason='coal is not installed (make test brings it)')
    # A corner of two plates of 1 m: the hull is 0.45 · √2 m from the plates in its middle.
    plates = [trimesh.creation.box(size, trimesh.transformations.translation_matrix(middle))
              for size, middle in (((1.0, 0.1, 0.1), (0.5, 0.05, 0.0)),
                                   ((0.1, 1.0, 0.1), (0.05, 0.5, 0.0)))]
    trimesh.util.concatenate(plates).export(tmp_path / 'corner.stl')
    file = arm_with(tmp_path, f'<mesh filename="{tmp_path}/corner.stl"/>')
    found = json.loads(shown(capsys, file, '--collisions', '--json'))['collisions']['shapes'][0]
    assert found['shape'] == 'convex hull of a mesh'
    assert found['vertices'] == 10
    assert found['excess'] == pytest.approx(0.45, abs=0.02)
    monkeypatch.setattr('ik_node.commands.inspection.coal', lambda: None)
    assert 'hull of a mesh, 10 vertices, how far beyond the mesh is known with coal' in shown(
        capsys, file, '--collisions')
