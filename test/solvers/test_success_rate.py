import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import make_solver


@pytest.mark.parametrize('name', ['panda', 'ur5', 'iiwa14', 'puma560'])
def test_dls_meets_nearly_every_pose_and_claims_none_it_did_not(name):
    chain = robots.chain(name)
    solver = make_solver('dls', chain, position_tolerance=1e-5, orientation_tolerance=1e-5)
    rng = np.random.default_rng(80)
    met = 0
    for _ in range(count := robots.samples(1000)):
        pose = chain.forward(robots.random_q(chain, rng))
        result = solver.solve(pose, robots.middle(chain))
        if result.success:
            met += 1
            T = chain.forward(result.q)
            turn = Rotation.from_matrix(pose[:3, :3] @ T[:3, :3].T)
            assert np.linalg.norm(pose[:3, 3] - T[:3, 3]) <= 1e-5
            assert turn.magnitude() <= 1e-5
            assert robots.inside(chain, result.q)
    assert met >= 0.995 * count
