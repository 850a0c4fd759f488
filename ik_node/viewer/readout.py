"""The state of each node and the figures of its last goal, as they are always in view."""

import html
from collections.abc import Callable, Iterable

from ik_node.viewer.node_state import GREY
from ik_node.viewer.page_text import (
    angle_text,
    environment_text,
    html_command,
    length_text,
    time_text,
)
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_nodes import rgb_bytes

_FIGURES = 'position error', 'orientation error', 'steps of the solver', 'solve time'
_HELP = '<div>Open a zip of them and the URDF, or start ik_view --mesh-folder FOLDER.</div>'
_LABELS = 'position', 'orientation', 'steps', 'time'  # before there is a goal


def readout(robot_views: Iterable[RobotView], without_node: str = '', note: str = '') -> str:
    """Return the state of each node and the figures of its last goal, as HTML.

    without_node: a line in place of a state where a player moves the robot, not a node. note: a
    line in place of what is below each state.
    """
    blocks = [_block(robot_view, without_node, note) for robot_view in robot_views]
    return f'<div id="ik-status">{"".join(blocks)}</div>'


def _block(robot_view: RobotView, without_node: str, note: str) -> str:
    """Return the state, with its reason or the robot below, and the figures of the last goal."""
    color, text, why = robot_view.status
    if without_node:
        color, text = GREY, without_node
    report, gap = robot_view.state.report, robot_view.gap
    values = report.values if report else {}
    parameters = robot_view.parameters
    chosen = '' if parameters.outdated else parameters.option('solver')
    solver = values.get('solver') or chosen or ''
    own, description = '', robot_text(robot_view)
    if robot_view.color is not None:  # one of several
        description = ''
        solver, own = robot_view.name, f' style="color:rgb{rgb_bytes(robot_view.color)}"'

    def written(key: str, write: Callable[[float], str]) -> str:
        return write(float(values[key])) if values.get(key) else ''
    off = [written('position_error', length_text), written('orientation_error', angle_text)]
    if gap is not None and report is not None and report.level:
        off = [length_text(gap.errors.position), angle_text(gap.errors.orientation)]
    if robot_view.chain is not None and not robot_view.goal_turns:
        off[1] = ''
    steps = values.get('iterations', '')
    figures = zip(_FIGURES, (*off, steps and f'{steps} step{"s" * (steps != "1")}',
                             written('solve_time', time_text)), _LABELS)
    missing = robot_view.mesh_errors if len(robot_view.mesh_errors) > 1 else []
    problems = ''.join(f'<div>⚠ {html.escape(line)}</div>'
                       for line in robot_view.problems if line not in missing)
    if missing:  # one line, which opens
        problems += (f'<details><summary>⚠ {len(missing)} meshes are missing</summary>{_HELP}'
                     f'{"".join(f"<div>{html.escape(line)}</div>" for line in missing)}</details>')
    if robot_view.state.is_awaited and not without_node:
        problems += html_command('No node is there. This command starts one, of a robot of this '
                                 'package or a file:', _node_command(robot_view))
    return (f'<div class="ik-state"><b style="color:{color}">● {html.escape(text)}</b>'
            f'<span{own}>{html.escape(str(solver))}</span></div><div class="ik-figures">'
            + ''.join(f'<span title="{hint}">{html.escape(figure) or f"<i>{label}</i>"}</span>'
                      for hint, figure, label in figures)
            + f'</div><div class="ik-why">{html.escape(note or why or description)}</div>'
            + problems)


def _node_command(robot_view: RobotView) -> str:
    """Return the command that starts the node of a view."""
    space, _, name = robot_view.node_name.rpartition('/')
    return (f'{environment_text()} ros2 run ik_node ik_node --ros-args -p model_path:=arm_6r'
            + f' -r __ns:={space}' * bool(space) + f' -r __node:={name}' * (name != 'ik_node')
            ).strip()


def robot_text(robot_view: RobotView) -> str:
    """Return a line about a robot, its joints and what moves them."""
    tree, chain = robot_view.tree, robot_view.chain
    if tree is None:
        return 'waiting for its robot …'
    tasks, space = robot_view.tasks, robot_view.space
    if tasks and space is not None:
        parameters = robot_view.parameters
        root = f'{parameters["root"]} root, ' if parameters.moves_root else ''
        return f'{tree.name}, {root}{space.n_joints} joints, tasks {", ".join(tasks)}'
    return tree.name if chain is None else (
        f'{tree.name}, {chain.n_joints} joints from {chain.base_link} to {chain.tip_link}')
