from types import SimpleNamespace

import pytest

from harness.page_here import page_with
from ik_node.viewer.scene_nodes import GroundPlane


@pytest.fixture
def grids():
    """The grids that were drawn, the newest at the end, and the ground."""
    drawn = []

    def add_grid(name, **look):
        drawn.append(SimpleNamespace(name=name, **look))
        return drawn[-1]
    return drawn, GroundPlane(SimpleNamespace(add_grid=add_grid))


@pytest.mark.parametrize(('reach', 'square'), [
    (0.003, 0.0001), (0.05, 0.01), (0.2, 0.01), (0.9, 0.1), (2.5, 0.1), (8.0, 1.0), (100.0, 10.0)])
def test_squares_are_decimal_and_some_ten_of_them_are_the_reach(grids, reach, square):
    drawn, ground = grids
    ground.fit(reach, 0.0)
    grid = drawn[-1]
    assert grid.cell_size == pytest.approx(square)
    assert 3.0 < reach / grid.cell_size < 32.0
    assert grid.section_size == pytest.approx(10.0 * square)
    assert 0.5 * grid.width >= 3.0 * reach
    assert grid.width == grid.height
    assert (grid.width / grid.section_size) % 2.0 == pytest.approx(0.0)  # a line at the base
    assert -0.01 * reach < grid.position[2] < 0.0


def test_robots_side_by_side_stand_on_it(grids):
    drawn, ground = grids
    ground.fit(0.9, 6.0)
    assert 0.5 * drawn[-1].width > 6.0 + 0.9


def test_its_lines_are_dim_on_a_dark_page_and_stay_so_where_it_is_drawn_again(grids):
    drawn, ground = grids
    light = drawn[-1].cell_color[0], drawn[-1].section_color[0]
    ground.set_dark(True)
    ground.fit(10.0, 0.0)
    for grid in drawn:
        assert grid.cell_color[0] < grid.section_color[0] < min(light)
    ground.set_dark(False)
    assert (drawn[-1].cell_color[0], drawn[-1].section_color[0]) == light


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
