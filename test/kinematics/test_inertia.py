"""Centre of mass, its Jacobian, and mass matrices, against formulas and clouds of points."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import KinematicTree
from ik_node.model.joints import ComplexJoint, Joint, Mimic
from ik_node.model.parts import Inertial

Z, Y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
ANGLES = [0.0, 1e-9, 1e-4, 9.99e-4, 1.001e-3, 0.5, 3.0, np.pi - 1e-6, np.pi, 4.5]


def at(*position):
    T = np.eye(4)
    T[:3, 3] = position
    return T


def inertia(izz):
    return np.diag([0.0, izz, izz])


def double_pendulum():
    """Return two rods of 1 kg and 2 kg, 0.8 m and 0.6 m long, that turn about z."""
    return KinematicTree(
        ['base', 'upper', 'lower'],
        [Joint('shoulder', 'continuous', 'base', 'upper', axis=Z),
         Joint('elbow', 'continuous', 'upper', 'lower', at(0.8, 0, 0), Z)],
        inertials={'upper': Inertial(1.0, [0.4, 0, 0], inertia(0.8**2 / 12)),
                   'lower': Inertial(2.0, [0.3, 0, 0], inertia(2.0 * 0.6**2 / 12))})


def pendulum_matrix(elbow):
    """Return the textbook's mass matrix of two rods."""
    I1, I2 = 0.8**2 / 12, 2.0 * 0.6**2 / 12
    coupling = 2.0 * 0.8 * 0.3 * np.cos(elbow)
    M22 = I2 + 2.0 * 0.3**2
    M12 = M22 + coupling
    return np.array([[I1 + 0.4**2 + 2.0 * 0.8**2 + M22 + 2.0 * coupling, M12], [M12, M22]])


@pytest.mark.parametrize('elbow', [0.0, 0.7, np.pi / 2, -2.0, np.pi])
def test_a_double_pendulum_has_the_textbooks_mass_matrix(elbow):
    body = double_pendulum().body()
    assert body.mass_matrix([0.3, elbow]) == pytest.approx(pendulum_matrix(elbow), abs=1e-14)


def cube():
    """Return a cube of 2 kg with edges of 0.3 m that nothing holds."""
    side = 2.0 * 0.3**2 / 6.0
    return KinematicTree(['cube'], [], inertials={
        'cube': Inertial(2.0, np.zeros(3), side * np.eye(3))}).body('floating'), side


def test_a_floating_cube_has_its_mass_and_inertia_on_the_diagonal():
    body, side = cube()
    q = np.array([1.0, -2.0, 3.0, 0.0, 0.0, 0.0])
    assert body.mass_matrix(q) == pytest.approx(np.diag([2.0] * 3 + [side] * 3), abs=1e-15)
    assert body.center_of_mass(q) == pytest.approx(q[:3])
    assert body.center_of_mass_jacobian(q) == pytest.approx(np.eye(3, 6), abs=1e-15)


@pytest.mark.parametrize('angle', ANGLES)
def test_a_rotation_vector_that_grows_along_itself_turns_about_itself(angle):
    # J_l(w) w = w, and at right angles |J_l(w) v| = 2 sin(θ/2)/θ |v|.
    body, side = cube()
    along, across = np.array([2.0, -1.0, 2.0]) / 3.0, np.array([1.0, 2.0, 0.0]) / np.sqrt(5.0)
    M = body.mass_matrix([0, 0, 0, *(angle * along)])[3:, 3:]
    assert along @ M @ along == pytest.approx(side, rel=1e-12)
    assert across @ M @ across == pytest.approx(side * np.sinc(angle / (2.0 * np.pi))**2, rel=1e-9)


CLOUDS = {link: (rng.uniform(0.1, 1.0, 6), rng.uniform(-0.3, 0.3, (6, 3)))
          for rng in [np.random.default_rng(5)] for link in ('trunk', 'arm', 'hand', 'leg', 'toe')}


def cloud(link):
    """Return the inertial of a link of six points with masses."""
    masses, points = CLOUDS[link]
    center = masses @ points / masses.sum()
    spread = points - center
    moments = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, spread))
    return Inertial(masses.sum(), center, 0.5 * (moments + moments.T))


def figure(rotation='exponential'):
    """Return a trunk with an arm on a ball, and a leg that slides and its mimic that turns."""
    tilted = at(0.1, 0.2, -0.3)
    tilted[:3, :3] = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()
    return KinematicTree(
        ['trunk', 'arm', 'hand', 'leg', 'toe', 'tool'],
        [ComplexJoint('shoulder', 'ball', 'trunk', 'arm', tilted, rotation=rotation),
         Joint('wrist', 'revolute', 'arm', 'hand', at(0.4, 0, 0), Y, -2.0, 2.0),
         Joint('tool_joint', 'fixed', 'hand', 'tool', at(0, 0, 0.2)),
         Joint('hip', 'prismatic', 'trunk', 'leg', tilted, Z, -1.0, 1.0),
         Joint('ankle', 'revolute', 'leg', 'toe', at(0.5, 0.1, 0), Y, -9.0, 9.0,
               mimic=Mimic('hip', 2.0, 0.3))],
        inertials={link: cloud(link) for link in CLOUDS})


@pytest.mark.parametrize('rotation', ['exponential', 'zyx'])
@pytest.mark.parametrize('root', ['fixed', 'planar', 'floating'])
def test_masses_move_as_the_points_do_that_they_are_made_of(root, rotation):
    body = figure(rotation).body(root)
    rng = np.random.default_rng(2)
    total = sum(masses.sum() for masses, _ in CLOUDS.values())
    assert body.mass == pytest.approx(total)
    for _ in range(3):
        q = rng.uniform(-1.5, 1.5, body.n_joints)
        T_world_link = body.forward(q)
        M, com, J_com = np.zeros((len(q),) * 2), np.zeros(3), np.zeros((3, len(q)))
        for link, (masses, points) in CLOUDS.items():
            for m, p in zip(masses, points):
                J = body.jacobian(q, link, p)[:3]
                M += m * J.T @ J
                com += m * (T_world_link[link] @ [*p, 1.0])[:3] / total
                J_com += m * J / total
        assert body.mass_matrix(q) == pytest.approx(M, abs=1e-12)
        assert body.center_of_mass(q) == pytest.approx(com, abs=1e-14)
        assert body.center_of_mass_jacobian(q) == pytest.approx(J_com, abs=1e-13)


@pytest.mark.parametrize('angle', ANGLES)
def test_a_centre_of_mass_moves_as_its_jacobian_says(angle):
    body = figure().body('floating')
    q = np.random.default_rng(3).uniform(-0.9, 0.9, body.n_joints)
    ball = [body.joint_names.index(f'shoulder_w{axis}') for axis in 'xyz']
    q[3:6] = angle * np.array([2.0, -1.0, 2.0]) / 3.0
    q[ball] = angle * np.array([0.0, 0.6, -0.8])
    J, h = body.center_of_mass_jacobian(q), 1e-6
    for k, step in enumerate(h * np.eye(len(q))):
        change = body.center_of_mass(q + step) - body.center_of_mass(q - step)
        assert J[:, k] == pytest.approx(change / (2.0 * h), abs=1e-8)


def test_a_mass_far_from_the_world_weighs_the_same():
    body = figure().body('floating')
    q = np.random.default_rng(4).uniform(-1.0, 1.0, body.n_joints)
    far = q + [1e4, -2e4, 5e3] @ np.eye(3, body.n_joints)
    assert body.mass_matrix(far) == pytest.approx(body.mass_matrix(q), abs=1e-9)
    assert body.center_of_mass_jacobian(far) == pytest.approx(
        body.center_of_mass_jacobian(q), abs=1e-9)


def test_a_link_without_a_mass_changes_nothing():
    text = double_pendulum().to_urdf()
    heavy = KinematicTree.from_urdf(text).body()
    again = KinematicTree.from_urdf(text.replace('</robot>', robots.joint(
        'spin', 'continuous', 'lower', 'feather') + '</robot>')).body()
    M = again.mass_matrix([0.1, 0.2, 0.3])
    assert M[:2, :2] == pytest.approx(heavy.mass_matrix([0.1, 0.2]))
    assert (M[2] == 0.0).all()
