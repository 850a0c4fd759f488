import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.motion.closed_path import ClosedPath

OWN = [('planar_3r', ()), ('arm_6r', ()), ('arm_7r', ()), ('scara', ()),
       ('torso', (None, 'left_tool0'))]


@pytest.mark.parametrize(('name', 'ends'), OWN)
def test_it_stays_well_inside_the_limits_and_closes(name, ends):
    chain = KinematicTree.from_urdf(robots.OWN / f'{name}.urdf').chain(*ends)
    path = ClosedPath(chain)
    for turn in np.linspace(0.0, 1.0, 50):
        q = path.configuration(turn)
        assert (chain.lower < q).all()
        assert (q < chain.upper).all()
        assert path.pose(turn) == pytest.approx(chain.forward(q))
    assert path.pose(1.0) == pytest.approx(path.pose(0.0), abs=1e-12)


def test_it_keeps_away_from_singular_configurations():
    chain = robots.chain('panda')
    path = ClosedPath(chain)
    worst = min(np.linalg.svd(chain.jacobian(path.configuration(turn)), compute_uv=False)[-1]
                for turn in np.linspace(0.0, 1.0, 100))
    assert worst > 0.02
