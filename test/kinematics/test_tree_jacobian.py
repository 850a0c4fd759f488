import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import KinematicTree
from ik_node.model.joints import ComplexJoint, Joint, Mimic

ANGLES = [0.0, 1e-9, 1e-4, 9.99e-4, 1.001e-3, 0.5, 3.0, np.pi - 1e-6, np.pi, 4.5]
POINT = np.array([0.2, -0.1, 0.3])


def central_differences(body, q, link, point, h=1e-6):
    """Return the Jacobian (6, n) by how the point and the link move when an entry of q does."""
    J = np.empty((6, body.n_joints))
    for k, step in enumerate(h * np.eye(body.n_joints)):
        ahead, behind = body.forward(q + step)[link], body.forward(q - step)[link]
        J[:3, k] = ((ahead - behind) @ [*point, 1.0])[:3] / (2.0 * h)
        J[3:, k] = Rotation.from_matrix(ahead[:3, :3] @ behind[:3, :3].T).as_rotvec() / (2.0 * h)
    return J


def figure(rotation):
    """Return a tree of a ball, a ball on that one, a slide, and a mimic in another branch."""
    def shifted(x, y, z):
        T = np.eye(4)
        T[:3, :3] = Rotation.from_rotvec([0.3 * x, 0.2, y]).as_matrix()
        T[:3, 3] = x, y, z
        return T

    return KinematicTree(['trunk', 'arm', 'hand', 'finger', 'head'], [
        ComplexJoint('shoulder', 'ball', 'trunk', 'arm', shifted(0.1, 0.2, 0.5), rotation=rotation),
        ComplexJoint('wrist', 'ball', 'arm', 'hand', shifted(0.4, 0.0, 0.1), rotation=rotation),
        Joint('grip', 'prismatic', 'hand', 'finger', shifted(0.0, 0.1, 0.1),
              np.array([0.6, 0.8, 0.0]), -1.0, 1.0),
        Joint('neck', 'revolute', 'trunk', 'head', shifted(0.0, 0.0, 0.7), np.array([0, 1.0, 0]),
              -3.0, 3.0, mimic=Mimic('grip', -2.0, 0.1))])


@pytest.mark.parametrize('rotation', ['exponential', 'zxz'])
@pytest.mark.parametrize('root', ['fixed', 'planar', 'floating'])
def test_a_point_moves_as_its_jacobian_says(root, rotation):
    body = figure(rotation).body(root)
    rng = np.random.default_rng(1)
    for _ in range(3):
        q = rng.uniform(-1.5, 1.5, body.n_joints)
        for link in body.links:
            assert body.jacobian(q, link, POINT) == pytest.approx(
                central_differences(body, q, link, POINT), abs=1e-8), link


@pytest.mark.parametrize('angle', ANGLES)
def test_rotation_vectors_of_every_length_have_the_right_columns(angle):
    body = figure('exponential').body('floating')
    q = np.random.default_rng(2).uniform(-0.5, 0.5, body.n_joints)
    q[3:6] = angle * np.array([2.0, -1.0, 2.0]) / 3.0
    q[6:9] = angle * np.array([0.0, 0.6, -0.8])
    assert body.joint_names[6:9] == ('shoulder_wx', 'shoulder_wy', 'shoulder_wz')
    assert body.jacobian(q, 'finger', POINT) == pytest.approx(
        central_differences(body, q, 'finger', POINT), abs=1e-8)


def test_between_the_joints_of_a_spherical_joint_nothing_moves():
    body = figure('exponential').body()
    q = np.random.default_rng(4).uniform(-0.5, 0.5, body.n_joints)
    assert (body.jacobian(q, 'shoulder_wy_link') == 0.0).all()
    assert (body.jacobian(q, 'wrist_wx_link')[:, 3:] == 0.0).all()


@pytest.mark.parametrize('name', ['panda', 'so101', 'baxter', 'allegro'])
def test_at_a_tip_it_is_the_chains(name):
    chain, body = robots.chain(name), robots.tree(name).body()
    rng = np.random.default_rng(5)
    T_world_base = body.forward(np.zeros(body.n_joints))[chain.base_link]
    columns = [body.joint_names.index(joint) for joint in chain.joint_names]
    for _ in range(3):
        q = robots.random_q(body, rng)
        J = body.jacobian(q, chain.tip_link)
        assert (np.delete(J, columns, axis=1) == 0.0).all()
        in_base = np.kron(np.eye(2), T_world_base[:3, :3].T) @ J[:, columns]
        assert in_base == pytest.approx(chain.jacobian(q[columns]), abs=1e-12)
