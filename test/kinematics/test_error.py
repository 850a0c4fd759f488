import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from plain_kernels import plain

pose_error = plain('solvers.kernel.task')[0].pose_error


@pytest.mark.parametrize('angle', [0.0, 1e-12, 1e-8, 1e-5, 1e-3, 1.0, np.pi - 1e-6, np.pi])
def test_turning_by_the_error_leads_to_the_goal_at_every_angle(angle):
    rng = np.random.default_rng(4)
    for _ in range(20):
        T_tip, T_goal = np.eye(4), np.eye(4)
        T_tip[:3, :3] = Rotation.random(random_state=rng.integers(1 << 30)).as_matrix()
        axis = rng.normal(size=3)
        turn = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
        T_goal[:3, :3] = turn @ T_tip[:3, :3]
        T_goal[:3, 3] = rng.normal(size=3)
        e = [0.0] * 6
        pose_error(T_goal.tolist(), T_tip.tolist(), np.empty((3, 3)).tolist(), e)
        e = np.array(e)
        assert e[:3] == pytest.approx(T_goal[:3, 3])
        assert np.linalg.norm(e[3:]) == pytest.approx(angle, rel=1e-7, abs=1e-15)
        assert Rotation.from_rotvec(e[3:]).as_matrix() @ T_tip[:3, :3] == pytest.approx(
            T_goal[:3, :3], abs=1e-14)
