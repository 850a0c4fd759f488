"""Random sequences of what users do: the page says of the node what the node says of itself."""

import re
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from sensor_msgs.msg import JointState

import robots
from browser import choose, field, first_picture, open_tab, page_of, press_home, until, view_of
from gallery_switches import page_errors
from ik_node.viewer.made_obstacle import SIZES
from page_here import panel_of
from ros_harness import running

SEQUENCES, ACTIONS, SEED = 6, 5, 34
PATIENCE = 60.0  # s: of a machine that is busy
AGREE = 10.0     # s until the page says what the node says, likewise
ROBOTS = ('arm_6r', 'arm_7r', 'scara')
SOLVERS = ('dls', 'ccd', 'auto', 'transpose')
STATES = {0: 'reached', 1: 'as near as possible', 2: 'not reached'}  # by the level of a status
GOAL_STATES = re.compile('reached|as near as possible|not reached|refused')
_STATUS = "() => document.querySelector('#ik-status .ik-state').innerText"


class Seen:
    """A node, its page, and what the node has published."""

    def __init__(self, node, view, robot_view, page):
        self.node, self.view, self.robot_view, self.page = node, view, robot_view, page
        self.reports = node.listen(DiagnosticStatus, 'ik_node/status')
        self.states = node.listen(JointState, 'joint_states')

    def joints(self):
        """Return the last joint values that the node has published."""
        self.node.spin(0.0)
        return dict(zip(self.states[-1].name, self.states[-1].position)) if self.states else {}

    def status(self):
        """Return the state in words and the solver, as the page shows them."""
        return self.page.evaluate(_STATUS).replace('● ', '').split('\n')

    def contradictions(self, asks):
        """Return what the page says otherwise than the node; asks: whether there is a goal."""
        wrong, robot_view, present = [], self.robot_view, self.node.get('solver')
        text, solver = self.status()
        if solver.partition(' ')[0] != present:  # auto (analytic)
            wrong.append(f'the solver {solver}')
        joints = self.joints()
        off = max((abs(robot_view.values.get(name, np.inf) - value)
                   for name, value in joints.items()), default=np.inf)
        if off > 1e-6:
            wrong.append(f'joint values off by {off:.2g}')
        if asks != bool(GOAL_STATES.match(text)):
            wrong.append(f'the state {text!r} with{"" if asks else "out"} a goal')
        if asks and self.reports and not text.startswith((
                STATES[ord(self.reports[-1].level)], 'refused')):
            wrong.append(f'{text!r} for level {ord(self.reports[-1].level)}')
        chain, T_goal = robot_view.chain, self.view.page.handle_pose
        if chain is None or T_goal is None:
            wrong.append('there is no handle')
        elif asks and text.startswith('as near as possible: '):
            missed = np.linalg.norm(robot_view.pose(chain.tip_link)[:3, 3] - T_goal[:3, 3])
            number, unit = re.search(r': ([\d.]+) (mm|m)', text + ': 0 mm').groups()
            if abs(float(number) * {'m': 1.0, 'mm': 1e-3}[unit] - missed) > 0.006 * missed + 1e-5:
                wrong.append(f'{text!r}, and {1e3 * missed:.1f} mm are drawn')
        drawn = {layer.marker.ns for layer in list(robot_view.markers._shown.values())}
        made = panel_of(self.view, 'Obstacles').obstacles
        if bool(made) != ('obstacles' in drawn):
            wrong.append(f'{len(made)} obstacles, and {drawn} are drawn')
        return wrong


def drag(seen, rng):
    """Drag the goal's handle to where the arm can, or cannot, reach."""
    assert until(lambda: seen.robot_view.chain is not None, PATIENCE, seen.page)
    chain, count = seen.robot_view.chain, len(seen.reports)
    T = chain.forward(rng.uniform(np.maximum(chain.lower, -2.0), np.minimum(chain.upper, 2.0)))
    T[:3, 3] *= rng.choice([1.0, 3.0], p=[0.7, 0.3])
    T = seen.robot_view.target_frame() @ T
    assert until(lambda: seen.view.page.handles.drag_to(T), PATIENCE, seen.page)
    assert seen.node.until(lambda: len(seen.reports) > count, PATIENCE)
    return True


def type_goal(seen, rng):
    """Type a coordinate of the goal."""
    open_tab(seen.page, 'Move')
    count, name = len(seen.reports), str(rng.choice(['x, m', 'y, m', 'z, m']))
    field(seen.page, name).click()
    seen.page.keyboard.press('Control+a')
    seen.page.keyboard.type(f'{rng.uniform(-0.5, 0.5):.3f}')
    seen.page.keyboard.press('Enter')
    assert seen.node.until(lambda: len(seen.reports) > count, PATIENCE)
    return True


def change_solver(seen, rng):
    """Choose another solver; a goal is solved again."""
    present = seen.node.get('solver')
    wanted = str(rng.choice([name for name in SOLVERS if name != present]))
    open_tab(seen.page, 'Solver')
    choose(seen.page, 'solver', wanted)
    assert until(lambda: seen.node.get('solver') == wanted, PATIENCE, seen.page)


def change_tip(seen, rng):
    """Choose another tip; a goal is solved again."""
    open_tab(seen.page, 'Robot')
    present = seen.node.get('tip_link') or 'automatic'
    wanted = str(rng.choice([link for link in list(seen.robot_view.tree.links)[-3:]
                             if link != present]))
    choose(seen.page, 'tip', wanted)
    assert until(lambda: seen.node.get('tip_link') == wanted, PATIENCE, seen.page)


def change_robot(seen, rng):
    """Load another robot, which has no goal."""
    wanted = str(rng.choice([name for name in ROBOTS if name != seen.robot_view.tree.name]))
    open_tab(seen.page, 'Robot')
    choose(seen.page, 'robot', wanted)
    assert until(lambda: seen.robot_view.tree is not None
                 and seen.robot_view.tree.name == wanted, PATIENCE, seen.page)
    return False


def go_home(seen, rng):
    """Press Home."""
    press_home(seen.page, seen.view)
    return False


def lesson(seen, rng):
    """Look at a frame of a lesson, and end it."""
    open_tab(seen.page, 'Learn')
    choices = seen.page.locator('input[value="choose …"]')
    choices.first.click()
    seen.page.get_by_role('option').nth(int(rng.integers(1, 6))).click()
    end = seen.page.get_by_role('button', name='End the lesson')
    end.wait_for()
    end.click()
    assert until(lambda: seen.robot_view.frame.visible, PATIENCE, seen.page)


def branches(seen, rng):
    """List the branches of the goal, and go to another one, which meets the goal, too."""
    open_tab(seen.page, 'Solver')
    panel = panel_of(seen.view, 'Branches')
    before = panel._text.content
    panel._text.content = ''
    seen.page.get_by_role('button', name='List them').click()
    assert until(lambda: panel._text.content, PATIENCE, seen.page), before
    if not len(panel._branches):
        return None
    seen.page.get_by_role('button', name='Next').click()
    assert until(lambda: seen.status()[0].startswith('reached: branch'), PATIENCE, seen.page)
    seen.reports.clear()
    return True


def obstacle(seen, rng):
    """Make an obstacle, or delete all."""
    open_tab(seen.page, 'Scene')
    panel = panel_of(seen.view, 'Obstacles')
    count = len(panel.obstacles)
    kind = 'all' if count > 1 else str(rng.choice(list(SIZES)))
    seen.page.get_by_role('button', name=kind, exact=True).click()
    assert until(lambda: len(panel.obstacles) == (0 if count > 1 else count + 1), PATIENCE,
                 seen.page)


def avoid(seen, rng):
    """Switch the avoidance of collisions; a goal is solved again."""
    open_tab(seen.page, 'Scene')
    name = f'{seen.node.get("solver")}.avoid_collisions'
    wanted = not seen.node.get(name)
    seen.page.get_by_label('avoid collisions').click()
    assert until(lambda: seen.node.get(name) is wanted, PATIENCE, seen.page)


def kill(seen, rng):
    """Kill the node and start another, which has the robot and the solver of its arguments."""
    seen.node.restart()
    seen.reports.clear()
    seen.states.clear()
    assert until(lambda: seen.robot_view.state.responds is False, PATIENCE, seen.page)
    assert seen.node.until(lambda: seen.states, PATIENCE)
    assert seen.node.get('solver') == 'dls'
    assert until(lambda: seen.robot_view.state.responds, PATIENCE, seen.page)
    return False


EVERY = (drag, drag, drag, type_goal, change_solver, change_tip, change_robot, go_home, lesson,
         branches, obstacle, avoid, kill)


def run_sequences(sequences, seed, tell=lambda line: None):
    """Do random things on a page; return what it said otherwise than its node, a line each."""
    rng, found = np.random.default_rng(seed), []
    with (running(model_path=robots.OWN / 'arm_6r.urdf', on_failure='closest') as node,
          view_of(node._domain.id) as (server, view, (robot_view,)),
          page_of(server.get_port()) as (page, said)):
        first_picture(page, view)
        seen, asks = Seen(node, view, robot_view, page), False
        for k in range(sequences):
            done, took = [], []
            for _ in range(ACTIONS):
                action = EVERY[rng.integers(len(EVERY))]
                done.append(action.__name__)
                after = action(seen, rng)
                asks = asks if after is None else after
                began = time.monotonic()
                if not until(lambda goal=asks: not seen.contradictions(goal), AGREE, page):
                    found.append(f'{k} {done}: {seen.contradictions(asks)}')
                    tell(found[-1])
                took.append(time.monotonic() - began)
            tell(f'{k} {done} {max(took):.2f} s')
        return found + [f'the console: {line}' for line in page_errors(said)]


@pytest.mark.slow
def test_after_random_sequences_the_page_says_what_the_node_says():
    assert run_sequences(SEQUENCES, SEED) == []
