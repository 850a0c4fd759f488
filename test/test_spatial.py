import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from ik_node import spatial
from ik_node.spatial.angles import angle_of

# The bands where a rotation's logarithm goes wrong: near 0 and near π.
BANDS = [0.0, *10.0 ** np.arange(-12.0, -2.0), 0.3, 1.0, 2.0, 3.0, np.pi - 1e-3, np.pi - 1e-6,
         np.pi - 1e-9, np.pi]
AXES = [np.array(axis) / np.linalg.norm(axis) for axis in (
    (1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (1, 1, 1), (1, -2, 3), (-3, 1, 1e-4),
    (1e-9, 1, 0))]


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


@pytest.mark.parametrize('angle', BANDS)
def test_the_logarithm_gives_back_the_rotation_vector_at_every_angle(angle):
    for axis in AXES:
        R = Rotation.from_rotvec(angle * axis).as_matrix()
        w = np.array(spatial.rotation_log(R))
        if angle > np.pi - 1e-8:  # there the axis may point either way
            w *= np.sign(w @ axis) or 1.0
        assert w == pytest.approx(angle * axis, abs=2e-15 + 1e-9 * (angle > 3.0))


@pytest.mark.parametrize('angle', BANDS)
def test_the_exponential_of_the_logarithm_is_the_rotation_again(angle):
    for axis in AXES:
        R = expm(skew(angle * axis))
        w = np.array(spatial.rotation_log(R))
        assert spatial.rotation_exp(w) == pytest.approx(R, abs=1e-14)


@pytest.mark.parametrize('angle', BANDS)
def test_quaternions_are_right_at_every_angle_and_have_a_scalar_part_of_no_sign(angle):
    for axis in AXES:
        q = np.array(spatial.quaternion_from_matrix(Rotation.from_rotvec(angle * axis).as_matrix()))
        assert q[3] >= 0.0
        assert spatial.matrix_from_quaternion(q) == pytest.approx(
            Rotation.from_rotvec(angle * axis).as_matrix(), abs=1e-14)


@pytest.mark.parametrize('angle', [1e-9, 1e-4, 0.9e-3, 1.1e-3, 0.5, 2.0, 3.1, np.pi])
def test_the_right_jacobian_inverse_is_the_derivative_of_the_logarithm(angle):
    step = 1e-6
    for axis in AXES:
        w = angle * axis
        M = spatial.right_jacobian_inverse(w)
        K, rest = skew(axis), (angle - np.sin(angle)) / angle
        J = np.eye(3) - (1.0 - np.cos(angle)) / angle * K + rest * K @ K  # [Solà 2018, eq. 143]
        assert M @ J == pytest.approx(np.eye(3), abs=1e-7)
        if angle < 3.1:  # the logarithm has a cut at a half turn
            for i in range(3):
                ahead, behind = ((Rotation.from_rotvec(w) * Rotation.from_rotvec(
                    sign * step * np.eye(3)[i])).as_rotvec() for sign in (1.0, -1.0))
                assert M[:, i] == pytest.approx((ahead - behind) / (2.0 * step), abs=1e-7)
        assert M @ w == pytest.approx(w, abs=1e-12)


def test_roll_pitch_yaw_are_urdfs_fixed_axes():
    for rpy in ((0.1, -0.4, 2.0), (0.0, np.pi / 2, 0.3), (-3.0, 1.0, -1.0)):
        assert spatial.matrix_from_rpy(*rpy) == pytest.approx(
            Rotation.from_euler('xyz', rpy).as_matrix(), abs=1e-15)


def test_a_pose_and_its_inverse_cancel():
    rng = np.random.default_rng(0)
    T = spatial.pose_from_rpy(rng.normal(size=3), rng.normal(size=3))
    assert T @ spatial.inverse(T) == pytest.approx(np.eye(4), abs=1e-15)


def test_a_frame_can_be_turned_with_its_z_onto_any_axis():
    for axis in AXES:
        R = spatial.turn_z_onto(axis)
        assert R[:, 2] == pytest.approx(axis, abs=0)
        assert spatial.rotation_defect(R) < 1e-15


def test_the_defect_is_small_for_rotations_only():
    R = Rotation.from_rotvec([0.3, 0.2, -1.0]).as_matrix()
    assert spatial.rotation_defect(R) < 1e-15
    assert spatial.rotation_defect(R @ np.diag([1.0, 1.0, -1.0])) == 2.0
    assert spatial.rotation_defect(1.001 * R) == pytest.approx(0.002, rel=0.01)
    assert np.isnan(spatial.rotation_defect(np.full((3, 3), np.nan)))
    for entry in np.ndindex(3, 3):
        for value in (np.inf, -np.inf, np.nan):
            for matrix in (np.eye(3), R.copy(), np.zeros((3, 3))):
                matrix[entry] = value
                assert not spatial.rotation_defect(matrix) <= 1e-6


def test_the_angle_of_a_rotation_is_that_of_its_sine_and_cosine():
    angles = [*np.linspace(-3.14, 3.14, 1001), *(
        sign * (quarter * np.pi / 2.0 + off) for sign in (1.0, -1.0) for quarter in range(3)
        for off in (0.0, *10.0 ** np.arange(-16.0, -1.0), *-10.0 ** np.arange(-16.0, -1.0)))]
    for angle in angles:
        c, s = np.cos(angle), np.sin(angle)
        assert angle_of(c, s) == pytest.approx(np.arctan2(s, c), rel=4e-16, abs=0.0)
    for c, s in ((1.0, 0.0), (1.0, -0.0), (-1.0, 0.0), (-1.0, -0.0), (0.0, 1.0), (-0.0, -1.0)):
        assert str(angle_of(c, s)) == str(np.arctan2(s, c).item())  # also −0 and −π
