import io

import numpy as np
import pytest
import trimesh

from harness.fake_node import FakeNode
from harness.page_here import page_of, page_with
from ik_node.viewer.ground import GroundPlane
from robots import OWN


@pytest.fixture
def ground(server):
    """A ground, and how its floor is drawn now: corners of squares (k, 4, 3), m, and colours."""
    def drawn():
        floor = server.scene.get_handle_by_name('/floor')
        (mesh,) = trimesh.load(io.BytesIO(floor._impl.props.glb_data), 'glb').geometry.values()
        return (mesh.vertices.reshape(-1, 4, 3) + floor.position,
                mesh.visual.vertex_attributes['color'].reshape(-1, 4, 4)[..., :3].astype(int))
    return GroundPlane(server.scene), drawn


@pytest.mark.parametrize(('reach', 'square'), [
    (0.003, 0.0001), (0.05, 0.01), (0.2, 0.01), (0.9, 0.1), (2.5, 0.1), (8.0, 1.0), (100.0, 10.0)])
def test_squares_are_decimal_and_robots_side_by_side_stand_on_it(ground, reach, square):
    made, drawn = ground
    made.fit(reach, reach)
    corners, _ = drawn()
    assert np.median(np.ptp(corners, axis=1), axis=0) == pytest.approx([square, square, 0.0])
    far = np.linalg.norm(corners[..., :2], axis=2)
    assert far.max() == pytest.approx(2.3 * reach)
    assert -0.01 * reach < corners[..., 2].min() <= corners[..., 2].max() < 0.0


def test_a_long_row_of_small_robots_has_larger_squares(ground):
    made, drawn = ground
    made.fit(0.003, 6.0)
    assert 40000 > len(drawn()[0]) > 100


def test_its_squares_differ_a_little_and_it_stays_dark_where_it_is_fitted_again(ground):
    made, drawn = ground
    for dark in (True, False):
        made.set_dark(dark)
        made.fit(1.0)
        _, colors = drawn()
        assert (colors < 60).all() if dark else (colors > 120).all()
        middle = colors[np.linalg.norm(drawn()[0][..., :2], axis=2).max(1) < 0.2]
        assert 0 < np.ptp(middle[..., 0]) < 20


def test_it_is_drawn_anew_only_where_it_is_another_one(server, ground):
    made, _ = ground
    made.fit(2.0)
    floor = server.scene.get_handle_by_name('/floor')
    made.fit(2.0, z=0.5)
    assert server.scene.get_handle_by_name('/floor') is floor
    height = floor.position[2]
    made.set_dark(True)  # in the thread of a browser's event, while the painter may fit the floor
    assert server.scene.get_handle_by_name('/floor') is floor
    made.fit(2.0, z=0.5)
    dark = server.scene.get_handle_by_name('/floor')
    assert dark is not floor
    assert dark.position[2] == height > 0.4


def test_what_is_near_the_ground_has_a_shadow_below_it():
    with page_of(FakeNode(model_path=str(OWN / 'arm_6r.urdf'))) as page:
        (shadow,) = page.drawn('/shadow').values()

        def shade(x, y):
            """Return how dark the ground is at a point, m: the first row is at the least y."""
            size = shadow.render_width, shadow.render_height
            column, row = (0.5 + (np.array([x, y]) - shadow.position[:2]) / size) * len(
                shadow.image)
            inside = 0 <= min(row, column) and max(row, column) < len(shadow.image)
            return int(shadow.image[int(row), int(column), 3]) if inside else 0
        assert shade(0.0, 0.0) > 60
        assert shade(0.0, 0.35) == 0
        page.stand([np.pi / 2, 0.0, 0.0, 0.0, 0.0, 0.0])
        assert 0 < shade(0.0, 0.35) < shade(0.0, 0.0)
        assert page.drawn('/shadow')['/shadow'].position[2] > page.drawn('/floor')[
            '/floor'].position[2]


def test_a_figure_that_is_fixed_at_its_pelvis_stands_on_it_and_one_that_moves_is_in_the_world():
    with page_with('humanoid', solver='least_squares', tasks=['hand'], hand__type='position',
                   hand__link='right_palm') as page:
        (floor,) = page.drawn('/floor').values()
        sole = page.robot_view.pose('left_sole')[2, 3]
        assert floor.position[2] == pytest.approx(sole, abs=0.02)
        page.choose('Obstacles', 'add', value='ground')
        (ground,) = page.node.robot.world.obstacles
        assert ground.pose[2, 3] == pytest.approx(sole, abs=0.02)
        page.set(root='floating')
        assert floor.position[2] == pytest.approx(0.0, abs=0.01)
