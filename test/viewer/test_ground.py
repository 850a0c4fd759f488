import numpy as np
import pytest

from harness.fake_node import FakeNode
from harness.page_here import page_of, page_with
from ik_node.viewer.ground import GroundPlane
from robots import OWN


@pytest.fixture
def ground(server):
    """A ground, and its grid."""
    made = GroundPlane(server.scene)
    return made, server.scene.get_handle_by_name('/grid')


@pytest.mark.parametrize(('reach', 'square'), [
    (0.003, 0.0001), (0.05, 0.01), (0.2, 0.01), (0.9, 0.1), (2.5, 0.1), (8.0, 1.0), (100.0, 10.0)])
def test_squares_are_decimal_and_robots_side_by_side_stand_on_it(ground, reach, square):
    made, grid = ground
    made.fit(reach, 6.0)
    assert grid.cell_size == pytest.approx(square)
    assert grid.section_size == pytest.approx(10.0 * square)
    assert 0.5 * grid.width >= grid.fade_distance > 6.0 + 3.0 * reach
    assert -0.01 * reach < grid.position[2] < 0.0


def test_it_is_opaque_with_faint_lines_and_stays_dark_where_it_is_fitted_again(ground):
    made, grid = ground
    for dark in (True, False):
        made.set_dark(dark)
        made.fit(10.0)
        assert grid.plane_opacity > 0.9
        assert (grid.plane_color[0] < 128) is dark
        assert 0 < abs(grid.cell_color[0] - grid.plane_color[0]) < 40


def test_what_is_near_the_ground_has_a_shadow_below_it():
    with page_of(FakeNode(model_path=str(OWN / 'arm_6r.urdf'))) as page:
        (shadow,) = page.drawn('/shadow').values()

        def shade(x, y):
            """Return how dark the ground is at a point, m: the first row is at the least y."""
            pixels = (0.5 + np.array([y, x]) / shadow.render_width) * len(shadow.image)
            return int(shadow.image[(*pixels.astype(int), 3)])
        assert shade(0.0, 0.0) > 60
        assert shade(0.0, 0.35) == 0
        page.stand([np.pi / 2, 0.0, 0.0, 0.0, 0.0, 0.0])
        assert 0 < shade(0.0, 0.35) < shade(0.0, 0.0)
        assert page.drawn('/shadow')['/shadow'].position[2] > page.drawn('/grid')[
            '/grid'].position[2]


def test_a_figure_that_is_fixed_at_its_pelvis_stands_on_it_and_one_that_moves_is_in_the_world():
    with page_with('humanoid', solver='least_squares', tasks=['hand'], hand__type='position',
                   hand__link='right_palm') as page:
        (grid,) = page.drawn('/grid').values()
        sole = page.robot_view.pose('left_sole')[2, 3]
        assert grid.position[2] == pytest.approx(sole, abs=0.02)
        page.choose('Obstacles', 'add', value='ground')
        (ground,) = page.node.robot.world.obstacles
        assert ground.pose[2, 3] == pytest.approx(sole, abs=0.02)
        page.set(root='floating')
        assert grid.position[2] == pytest.approx(0.0, abs=0.01)
