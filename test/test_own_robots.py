import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

import robots
from ik_node import KinematicTree, make_solver
from ik_node.kinematics.structures import axes_at_zero
from ik_node.model.geometry import Sphere

FILES = sorted(robots.OWN.glob('*.urdf'))


def test_there_are_six():
    assert [file.stem for file in FILES] == ['arm_6r', 'arm_7r', 'humanoid', 'planar_3r', 'scara',
                                             'torso']


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.stem)
def test_they_pass_check_urdf(file):
    check_urdf = shutil.which('check_urdf') or shutil.which(
        'check_urdf', path=str(Path(sys.executable).parent))
    if check_urdf is None:
        pytest.skip('check_urdf is not installed (PyPI: cmeel-urdfdom)')
    run = subprocess.run([check_urdf, str(file)], capture_output=True, text=True, timeout=60,
                         check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert 'Successfully Parsed XML' in run.stdout


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.stem)
def test_they_load_everywhere_without_a_warning(file):
    # `-p robot_description:="$(cat arm.urdf)"` reads the value as YAML: a ": " would make it a map.
    assert isinstance(yaml.safe_load(file.read_text()), str)
    tree, robot = KinematicTree.from_urdf(file), ElementTree.parse(file).getroot()
    assert tree.warnings == ()
    for link in robot.findall('link'):  # RViz shows one colour of a link
        assert len({visual.find('material').get('name') for visual in link.findall('visual')}) <= 1
    (root,) = robot.findall(f'link[@name="{tree.root}"]')
    assert root.find('inertial') is None  # of which robot_state_publisher warns


def own(name, *ends):
    return KinematicTree.from_urdf(robots.OWN / f'{name}.urdf').chain(*ends)


def test_the_planar_arm_is_the_textbooks():
    chain = own('planar_3r')
    assert chain.forward([np.pi / 8, np.pi / 4, np.pi / 4])[:3, 3] == pytest.approx(
        [15.7716, 19.5984, 0.0], abs=5e-5)
    assert make_solver('analytic', chain).family == 'planar 3R (L1 = 15 m, L2 = 10 m, L3 = 5 m)'


def meet(chain, first, last):
    """Return how far some axes of a chain are from meeting in one point, m."""
    points, axes = axes_at_zero(chain.arrays)
    along = [np.eye(3) - np.outer(a, a) for a in axes[first:last]]
    centre = np.linalg.solve(sum(along), sum(P @ p for P, p in zip(along, points[first:last])))
    return max(np.linalg.norm(P @ (centre - p)) for P, p in zip(along, points[first:last]))


@pytest.mark.parametrize(('name', 'ends', 'joints', 'spherical'), [
    ('arm_6r', (), 6, [(3, 6)]), ('arm_7r', (), 7, [(0, 3), (4, 7)]),
    ('torso', ('torso_link', 'left_tool0'), 7, [(0, 3), (4, 7)]),
    ('torso', ('torso_link', 'right_tool0'), 7, [(0, 3), (4, 7)])])
def test_spherical_shoulders_and_wrists_are_exact(name, ends, joints, spherical):
    chain = own(name, *ends)
    assert chain.n_joints == joints
    for first, last in spherical:
        assert meet(chain, first, last) < 1e-12


def test_the_scara_slides_down():
    chain = own('scara')
    assert chain.prismatic.tolist() == [False, False, True, False]
    down = chain.forward([0.2, -0.3, 0.1, 0.0])[2, 3] - chain.forward([0.2, -0.3, 0.0, 0.0])[2, 3]
    assert down == pytest.approx(-0.1)


def test_the_torsos_arms_share_lift_and_waist():
    left, right = own('torso', None, 'left_tool0'), own('torso', None, 'right_tool0')
    assert left.joint_names[:2] == right.joint_names[:2] == ('lift_joint', 'waist_joint')
    assert not set(left.joint_names[2:]) & set(right.joint_names[2:])


def test_the_humanoid_is_as_tall_and_heavy_as_it_says_and_mirrors_itself():
    tree = robots.tree('humanoid')
    body = tree.body()
    assert body.n_joints == 32
    assert body.mass == pytest.approx(70.0, abs=1.0)
    assert set(tree.leaves()) == {'gaze', 'left_palm', 'right_palm', 'left_sole', 'right_sole'}
    frames = tree.forward()
    assert frames['gaze'][2, 3] - frames['left_sole'][2, 3] == pytest.approx(1.705, abs=1e-9)
    top = max(T[2, 3] + visual.shape.radius for _, visual, T in tree.visual_poses()
              if isinstance(visual.shape, Sphere))
    assert top - frames['left_sole'][2, 3] == pytest.approx(1.80, abs=0.01)
    assert frames['left_sole'][2, 3] == frames['right_sole'][2, 3] == pytest.approx(-0.97)
    x, y = body.center_of_mass(np.zeros(32))[:2]
    assert -0.05 < x < 0.12  # above the soles
    assert y == pytest.approx(0.0, abs=1e-12)
    rng = np.random.default_rng(5)
    values = {joint: rng.uniform(tree.joints[joint].lower, tree.joints[joint].upper)
              for joint in tree.joints if joint.startswith('left') and tree.joints[joint].moves}
    frames = tree.forward({**values, **{joint.replace('left', 'right'): value
                                        for joint, value in values.items()}})
    mirror = np.diag([1.0, -1.0, 1.0])
    for end in ('palm', 'sole', 'forearm', 'shank'):
        left, right = frames[f'left_{end}'], frames[f'right_{end}']
        assert right[:3, 3] == pytest.approx(mirror @ left[:3, 3], abs=1e-12)
        assert right[:3, :3] == pytest.approx(mirror @ left[:3, :3] @ mirror, abs=1e-12)


@pytest.mark.parametrize(('name', 'ends'), [
    ('planar_3r', ()), ('arm_6r', ()), ('arm_7r', ()), ('scara', ()),
    ('torso', (None, 'left_tool0')), ('torso', (None, 'right_tool0')),
    ('humanoid', (None, 'left_palm')), ('humanoid', (None, 'right_sole'))])
def test_dls_meets_their_reachable_poses(name, ends):
    chain = own(name, *ends)
    solver = make_solver('dls', chain)
    rng = np.random.default_rng(90)
    for _ in range(robots.samples(100)):
        assert solver.solve(chain.forward(robots.random_q(chain, rng))).success
