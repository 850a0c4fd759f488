"""Does random things on a page, and compares what it says with what its node says.

    python test/soak_sequences.py --sequences 200 --seed 0

After each action page and node have to agree within a second. The time runs from when the node has
done it, or has reported the goal that it solved again, and ends when the page says so; neither
waits for pictures, which the processor renders.
"""

import os
import re
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from sensor_msgs.msg import JointState

import robots
from harness.browser import (
    choose,
    field,
    first_picture,
    open_tab,
    page_of,
    press_home,
    until,
    view_of,
)
from harness.gallery_switches import page_errors
from harness.page_here import panel_of
from harness.ros_harness import running
from harness.soak_runner import run_soak
from ik_node.viewer.saved_scene import SIZES

ACTIONS = 5      # of a sequence
PATIENCE = 60.0  # s: of a machine that is busy
AGREE = 10.0     # s until the page says what the node says, likewise
REQUIRED = 1.0   # s, where it is not
SIZE = {'width': 640, 'height': 600}
ROBOTS = ('arm_6r', 'arm_7r', 'scara')
SOLVERS = ('dls', 'ccd', 'auto', 'transpose')
STATES = {0: 'reached', 1: 'as near as possible', 2: 'not reached'}  # by the level of a status
GOAL_STATES = re.compile('reached|as near as possible|not reached|refused')
_STATUS = "() => document.querySelector('#ik-status .ik-state').innerText"


class Seen:
    """A node, its page, and what the node has published.

    - `reports`: of goals; `reported`: when the last one came, s.
    - `looks`: how long each comparison of both took, s, which tells how busy the machine is.
    """

    def __init__(self, node, view, robot_view, page):
        self.node, self.view, self.robot_view, self.page = node, view, robot_view, page
        self.reports, self.reported, self.looks = [], 0.0, []
        self.states = node.listen(JointState, 'joint_states')
        node.node.create_subscription(DiagnosticStatus, 'ik_node/status', self._on_report, 10)
        node.settle()

    def _on_report(self, status):
        self.reports.append(status)
        self.reported = time.monotonic()

    def status(self):
        """Return the state in words and the solver, as the page shows them."""
        text, _, solver = self.page.evaluate(_STATUS).replace('● ', '').partition('\n')
        return [text, solver]

    def agrees(self, asks, began):
        """Wait until the page says what the node says; return (s that took, what was said).

        asks: whether there is a goal. began: when the node had done what was asked for; a goal that
        it reports later counts from then. What was said is (s, contradictions), the last ones where
        they stay.
        """
        said, deadline = [], time.monotonic() + AGREE
        while True:
            self.node.spin(0.005)
            looked = time.monotonic()
            wrong, now = self.contradictions(asks), time.monotonic()
            self.looks.append(now - looked)
            took = now - max(began, self.reported)
            if not wrong:
                return took, said
            if not said or said[-1][1] != wrong:
                said.append((now - began, wrong))
            if now > deadline:
                return np.inf, said

    def contradictions(self, asks):
        """Return what the page says otherwise than the node; asks: whether there is a goal."""
        wrong, robot_view = [], self.robot_view
        present, tip, file, *avoid = self.node.get(
            'solver', 'tip_link', 'model_path', *(f'{name}.avoid_collisions' for name in SOLVERS))
        text, solver = self.status()
        if solver.partition(' ')[0] != present:  # auto (analytic)
            wrong.append(f'the solver {solver}')
        if robot_view.tree is None or robot_view.tree.name != Path(file).stem:
            wrong.append(f'the robot is not {Path(file).stem}')
        off = max((abs(robot_view.values.get(name, np.inf) - value)
                   for state in self.states[-1:] for name, value in zip(state.name, state.position)
                   ), default=np.inf)
        if off > 1e-6:
            wrong.append(f'joint values off by {off:.2g}')
        del self.states[:-1]
        if asks != bool(GOAL_STATES.match(text)):
            wrong.append(f'the state {text!r} with{"" if asks else "out"} a goal')
        if asks and self.reports and not text.startswith((
                STATES[ord(self.reports[-1].level)], 'refused')):
            wrong.append(f'{text!r} for level {ord(self.reports[-1].level)}')
        chain, T_goal = robot_view.chain, self.view.page.handle_pose
        if chain is None or T_goal is None:
            wrong.append('there is no handle')
        elif tip and chain.tip_link != tip:
            wrong.append(f'the tip {chain.tip_link}')
        elif asks and text.startswith('as near as possible: '):
            missed = np.linalg.norm(robot_view.pose(chain.tip_link)[:3, 3] - T_goal[:3, 3])
            number, unit = re.search(r': ([\d.]+) (mm|m)', text + ': 0 mm').groups()
            if abs(float(number) * {'m': 1.0, 'mm': 1e-3}[unit] - missed) > 0.006 * missed + 1e-5:
                wrong.append(f'{text!r}, and {1e3 * missed:.1f} mm are drawn')
        panel = panel_of(self.view, 'Obstacles')
        shown = panel._widgets['avoid collisions'].widget.value
        if shown != dict(zip(SOLVERS, avoid))[present]:
            wrong.append(f'avoid collisions is shown as {shown}')
        drawn = {layer.marker.ns for layer in list(robot_view.markers._shown.values())}
        if bool(panel.obstacles) != ('obstacles' in drawn):
            wrong.append(f'{len(panel.obstacles)} obstacles, and {drawn} are drawn')
        return wrong


def drag(seen, rng):
    """Drag the goal's handle to where the arm can, or cannot, reach."""
    assert until(lambda: seen.robot_view.chain is not None, PATIENCE)
    chain, count = seen.robot_view.chain, len(seen.reports)
    T = chain.forward(rng.uniform(np.maximum(chain.lower, -2.0), np.minimum(chain.upper, 2.0)))
    T[:3, 3] *= rng.choice([1.0, 3.0], p=[0.7, 0.3])
    T = seen.robot_view.target_frame() @ T
    assert until(lambda: seen.view.page.handles.drag_to(T), PATIENCE)
    assert seen.node.until(lambda: len(seen.reports) > count, PATIENCE)
    return True


def type_goal(seen, rng):
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
    assert until(lambda: seen.node.get('solver') == wanted, PATIENCE)


def change_tip(seen, rng):
    """Choose another tip; a goal is solved again, a branch was of the tip before."""
    open_tab(seen.page, 'Robot')
    present = seen.node.get('tip_link') or 'automatic'
    wanted = str(rng.choice([link for link in list(seen.robot_view.tree.links)[-3:]
                             if link != present]))
    choose(seen.page, 'tip', wanted)
    assert until(lambda: seen.node.get('tip_link') == wanted, PATIENCE)
    with seen.view.page.painting:  # the handle of another tip takes the place of the last
        return None if seen.view.page.handles.dragged() else False


def change_robot(seen, rng):
    """Load another robot, which has no goal."""
    wanted = str(rng.choice([name for name in ROBOTS if name != seen.robot_view.tree.name]))
    open_tab(seen.page, 'Robot')
    choose(seen.page, 'robot', wanted)
    assert until(lambda: Path(seen.node.get('model_path')).stem == wanted, PATIENCE)
    return False


def go_home(seen, rng):
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
    assert until(lambda: seen.robot_view.frame.visible, PATIENCE)


def branches(seen, rng):
    """List the branches of the goal, and go to another one, which meets the goal, too."""
    open_tab(seen.page, 'Solver')
    panel, page, robot_view = panel_of(seen.view, 'Branches'), seen.view.page, seen.robot_view
    # The goal may be solved again after the last action, and has other branches then.
    assert until(lambda: page._settings == [page.setting(robot_view)]
                 and robot_view.state._sent is None, PATIENCE)
    before = panel._text.content
    panel._text.content = ''
    seen.page.get_by_role('button', name='List them').click()
    assert until(lambda: panel._text.content, PATIENCE), before
    if len(panel._branches) < 2:  # there is no other one
        return None
    seen.page.get_by_role('button', name='2', exact=True).click()
    assert until(lambda: seen.status()[0].startswith('reached: branch'), PATIENCE)
    seen.reports.clear()
    return True


def obstacle(seen, rng):
    """Make an obstacle, or delete all."""
    open_tab(seen.page, 'Scene')
    panel = panel_of(seen.view, 'Obstacles')
    count = len(panel.obstacles)
    kind = 'all' if count > 1 else str(rng.choice(list(SIZES)))
    seen.page.get_by_role('button', name=kind, exact=True).click()
    assert until(lambda: len(panel.obstacles) == (0 if count > 1 else count + 1), PATIENCE)


def avoid(seen, rng):
    """Switch the avoidance of collisions; a goal is solved again."""
    open_tab(seen.page, 'Scene')
    name = f'{seen.node.get("solver")}.avoid_collisions'
    wanted = not seen.node.get(name)
    seen.page.get_by_label('avoid collisions').click()
    assert until(lambda: seen.node.get(name) is wanted, PATIENCE)


def kill(seen, rng):
    """Kill the node and start another, which has the robot and the solver of its arguments.

    DDS discovers the other one, and then its services, after up to 5 s: the time runs from then.
    Before that the page may not show what the last one had.
    """
    connection = seen.robot_view.connection
    before = connection.processes()
    seen.node.restart()
    seen.node.spin(0.1)  # what the last one has sent comes in
    seen.reports.clear()
    seen.states.clear()
    assert seen.node.until(lambda: seen.states, PATIENCE)
    assert seen.node.get('solver') == 'dls'
    assert until(lambda: connection.processes() - before, PATIENCE)
    found = time.monotonic()

    def has_services():
        late, said = time.monotonic() > found + REQUIRED, seen.status()
        assert connection.lifecycle or not late or said == ['reading its parameters …', ''], said
        return connection.lifecycle
    assert until(has_services, PATIENCE)
    return False


EVERY = (drag, drag, drag, type_goal, change_solver, change_tip, change_robot, go_home, lesson,
         branches, obstacle, avoid, kill)


def run_sequences(sequences, seed, tell=lambda line: None):
    """Do random things on a page; return what it said otherwise than its node, a line each.

    Also returns, by action, how long each took in all, and until the page agreed, s.
    """
    rng, found, times = np.random.default_rng(seed), [], defaultdict(list)
    with (running(model_path=robots.OWN / 'arm_6r.urdf', on_failure='closest') as node,
          view_of(node._domain.id) as (server, view, (robot_view,)),
          page_of(server.get_port(), SIZE) as (page, console)):
        first_picture(page, view)
        seen, asks = Seen(node, view, robot_view, page), False
        for k in range(sequences):
            done, slowest = [], 0.0
            for _ in range(ACTIONS):
                action = EVERY[rng.integers(len(EVERY))]
                done.append(action.__name__)
                began = time.monotonic()
                after = action(seen, rng)
                asks = asks if after is None else after
                took, said = seen.agrees(asks, time.monotonic())
                times[action.__name__].append((time.monotonic() - began, took))
                slowest = max(slowest, took)
                if took == np.inf:
                    found.append(f'{k} {done}: {said[-1][1]}')
                    tell(found[-1])
                elif took > REQUIRED:
                    tell(f'{k} {done} {took:.2f} s, load {os.getloadavg()[0]:.1f}; until then '
                         + '; '.join(f'{s:.2f} s {wrong}' for s, wrong in said))
            tell(f'{k} {done} {slowest:.2f} s')
        tell(f'one comparison of page and node took {np.median(seen.looks):.3f} s in the median, '
             f'{np.quantile(seen.looks, 0.95):.3f} s for 95 %')
        return found + [f'the console: {line}' for line in page_errors(console)], times


def soak(given) -> list[str]:
    """Return where page and node did not agree in time."""
    found, times = run_sequences(given.sequences, given.seed, lambda line: print(line, flush=True))
    print('s until the page agrees with its node: median, 95 %, max; times over '
          f'{REQUIRED:g} s; median of all that the action took')
    for name, pairs in sorted(times.items()):
        whole, took = np.array(pairs).T
        print(f'{name:14s} {len(took):4d} {np.median(took):6.2f} {np.quantile(took, 0.95):6.2f} '
              f'{took.max():6.2f} {(took > REQUIRED).sum():4d} {np.median(whole):6.2f}')
        found += [f'{name} took {late:.2f} s' for late in took[took > REQUIRED]]
    return found


if __name__ == '__main__':
    run_soak(soak, __doc__, sequences=200)
