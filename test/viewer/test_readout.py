import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.viewer.page_text import angle_text, length_text, time_text
from ik_node.viewer.scene_nodes import distinct_colors

CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
BENT = [0.4, 0.3, -0.8, 0.5, -0.9, 0.2]


def plots(page):
    return [widget.data for path, widget, _ in page.widgets() if hasattr(widget, 'data')
            and path[0] == 'Plot']


def test_the_quantity_that_is_chosen_is_plotted_for_the_last_goals(page):
    for k in range(3):
        page.node.report(0, 'met', iterations=str(10 + k), solve_time='0.002',
                         position_error='2e-6')
    page.settle()
    (numbers, values), = plots(page)
    assert list(numbers) == [1.0, 2.0, 3.0]
    assert values == pytest.approx([2.0] * 3)  # ms
    page.choose('Plot', 'quantity', value='steps')
    assert plots(page)[0][1] == pytest.approx([10.0, 11.0, 12.0])
    plot = next(widget for path, widget, _ in page.widgets()
                if path[0] == 'Plot' and hasattr(widget, 'data'))
    assert plot.scales['y']['range'] == (0.0, 12.0)  # of counts: from 0
    page.node.report(2, 'refused')  # nothing was solved
    page.choose('Plot', 'quantity', value='position error')
    assert plots(page)[0][1] == pytest.approx([2.0] * 3 + [1e-3])
    page.node.report(1, 'as near as possible', position_error='0.02')
    page.settle()
    plot = next(widget for path, widget, _ in page.widgets()
                if path[0] == 'Plot' and hasattr(widget, 'data'))
    assert plot.title == 'position error, mm'
    assert plots(page)[0][1][-1] == pytest.approx(20.0)
    assert plot.scales['y']['range'] == (1e-3, 100.0)


def test_the_joints_are_plotted_between_their_limits_while_that_is_asked_for(page):
    shares = np.array([0.1, 0.9, 0.3, 0.5, 0.7, 0.4])
    page.node.stand(CHAIN.lower + shares * (CHAIN.upper - CHAIN.lower))
    page.choose('Plot', 'quantity', value='joints between their limits, %')
    (times, *places), = plots(page)
    assert [line[-1] for line in places] == pytest.approx(100.0 * shares, abs=0.01)
    assert (np.diff(times) > 0.0).all()
    assert -30.0 <= times[0] <= times[-1] == 0.0
    plot = [widget for path, widget, _ in page.widgets()
            if 'Plot' in path and hasattr(widget, 'data')][-1]
    assert [series['label'] if isinstance(series, dict) else series.label
            for series in plot.series] == ['s', *CHAIN.joint_names]
    page.choose('robot', value='scara')
    assert len(plots(page)[0]) == 5


def test_the_manipulability_is_plotted_for_the_axes_that_goals_ask_for(page):
    page.node.stand(BENT)
    page.choose('Plot', 'quantity', value='manipulability')
    J = CHAIN.jacobian(BENT)
    assert plots(page)[0][1][-1] == pytest.approx(abs(np.linalg.det(J)), rel=1e-6)
    page.set(task_weights=[1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    assert plots(page)[0][1][-1] == pytest.approx(np.sqrt(np.linalg.det(J[:3] @ J[:3].T)))
    page.node.set(task_weights=[1.0] * 6)
    page.choose('Goal', 'position only', value=True)
    assert plots(page)[0][1][-1] == pytest.approx(np.sqrt(np.linalg.det(J[:3] @ J[:3].T)))


def test_as_many_colors_as_are_asked_for_are_distinct():
    assert len(set(distinct_colors(7))) == 7


@pytest.mark.parametrize(('write', 'value', 'text'), [
    (length_text, 0.14, '140 mm'), (length_text, 4e-6, '0.004 mm'), (length_text, 1.25, '1.25 m'),
    (length_text, 0.0125, '12.5 mm'), (length_text, 1e-9, '< 0.001 mm'), (length_text, 0.0, '0 mm'),
    (angle_text, np.radians(45.0), '45.0°'), (angle_text, np.radians(0.02), '0.020°'),
    (time_text, 85e-6, '85 µs'), (time_text, 1.2e-3, '1.2 ms'), (time_text, 2.5, '2.5 s')])
def test_a_quantity_has_a_readable_unit(write, value, text):
    assert write(value) == text
