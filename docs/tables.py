"""Writes the tables of the documentation anew, from the declarations in the code: `make docs`.

A table is between the lines `<!-- begin NAME -->` and `<!-- end NAME -->` of a page; the rest of
the page is written by hand.
"""

import argparse
import ast
import functools
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import api_reference
import ik_node
from ik_node.control.options import (
    ArmOptions,
    CollisionOptions,
    ModelOptions,
    MotionOptions,
    NodeOptions,
    ScaleOptions,
    ServoOptions,
    StartOptions,
    TeleopOptions,
)
from ik_node.control.task_options import TaskOptions
from ik_node.solvers.body.lagrange import LagrangeOptions
from ik_node.solvers.jacobian.solvers import JacobianOptions
from ik_node.solvers.options import BodyOptions, SolverOptions
from ik_node.solvers.registry import body_solver_names, built_in_names, solver_class
from ik_node.support.options import Options, Spec
from interface import GOALS, INPUTS, OUTPUTS, SERVICES, SERVO, TASK_GOALS, Topic

DOCS = Path(__file__).parent
PACKAGE = Path(ik_node.__file__).parent
_KINDS = {float: 'number', int: 'whole number', bool: 'true or false', str: 'text'}
_BLOCK = re.compile(r'(<!-- begin (?P<name>.+?) -->\n).*?(<!-- end (?P=name) -->)', re.DOTALL)
_PATH_OF_A_GOAL = (
    ('ros/intake/goals.py', 'Goals.take', 'the callback of the subscription: checks whether the '
     'node is active and enabled, the age of the goal and its group; an invalid message is refused '
     'here'),
    ('ros/intake/frames.py', 'Frames.to_goal', 'converts the message into a `TaskGoal`: a target '
     'in the frame of its task; a frame that may still come lets the goal wait'),
    ('control/worker.py', 'Worker.begin', 'begins the goal, a generator; an older one of the '
     'group is cancelled when its turn is over'),
    ('ros/intake/goals.py', 'Goals._serve', 'is that generator: the goals that have arrived for '
     'the tasks of a group are solved together; a failure to solve or to move is refused here'),
    ('control/controller.py', 'Controller.go', 'solves and moves; the target of a task changes '
     'here, when it is met'),
    ('control/worker.py', 'Worker._proceed', 'runs each search that the generator yields: at '
     'once where it is short, else in the thread of the group'),
    ('control/arm.py', 'Arm.solve', 'or `TaskGroup.solve`: calls the solver'),
    ('solvers/arm/base.py', 'Solver.solve', 'calls the kernel'),
    ('ros/publishing/outputs.py', 'Outputs.joint_states', 'publishes the joint states; status and '
     'markers follow, by `Outcomes.publish`'))
"""File, function and what it does."""


def pages(folder: Path) -> list[Path]:
    """Return the pages under a folder."""
    return sorted(folder.rglob('*.md'))


def renewed(text: str) -> str:
    """Return a page with current tables. Raises KeyError for unknown names."""
    makers = tables()
    return _BLOCK.sub(lambda match: f'{match[1]}{makers[match["name"]]()}\n{match[3]}', text)


def main(arguments: list[str] | None = None) -> int:
    """Write the pages that have changed; return 1 where --check finds any, 2 for unknown tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder', nargs='?', type=Path, default=DOCS)
    parser.add_argument('--check', action='store_true', help='write nothing')
    options = parser.parse_args(arguments)
    stale = 0
    for page in pages(options.folder):
        text = page.read_text(encoding='utf-8')
        try:
            new = renewed(text)
        except KeyError as error:
            print(f'{page}: there is no table {error}', file=sys.stderr)
            return 2
        if new != text:
            stale += 1
            print(f'{page}: {"differs from the code" if options.check else "written"}')
            if not options.check:
                page.write_text(new, encoding='utf-8')
    return 1 if options.check and stale else 0


def tables() -> dict[str, Callable[[], str]]:
    """Return the functions that make the tables, by the names used in the pages."""
    makers: dict[str, Callable[[], str]] = {
        'parameters of the model': lambda: options_table(ModelOptions),
        'parameters of an arm': lambda: options_table(ArmOptions),
        'parameters of side joints': lambda: options_table(MotionOptions),
        'parameters of teleoperation': lambda: options_table(TeleopOptions),
        'parameters of the node': lambda: options_table(NodeOptions),
        'parameters of servo': lambda: options_table(ServoOptions),
        'parameters of scale': lambda: options_table(ScaleOptions),
        'parameters of a task': lambda: options_table(TaskOptions),
        'parameters of collisions': lambda: options_table(CollisionOptions),
        'parameters of the start': lambda: options_table(StartOptions),
        'options of every solver': lambda: options_table(SolverOptions),
        'options of the Jacobian family': lambda: options_table(
            JacobianOptions, without=SolverOptions),
        'options of every body solver': lambda: options_table(BodyOptions),
        'options of lagrange': lambda: options_table(LagrangeOptions, without=BodyOptions),
        'topics of goals': lambda: topics_table(GOALS),
        'topics of tasks': lambda: topics_table(TASK_GOALS),
        'topics of servo': lambda: topics_table(SERVO),
        'topics in': lambda: topics_table(INPUTS),
        'topics out': lambda: topics_table(OUTPUTS),
        'services': services_table, 'packages': packages_table,
        'path of a goal': _path_of_a_goal, **api_reference.blocks()}
    for name in built_in_names():
        makers[f'options of {name}'] = functools.partial(own_options, name)
    return makers


def own_options(name: str) -> str:
    """Return the options of a solver that are its own or have another default."""
    options = solver_class(name).Options
    shared = JacobianOptions if issubclass(options, JacobianOptions) else SolverOptions
    return options_table(options, without=shared) or 'None of its own.'


def options_table(options: type[Options], without: type[Options] | None = None) -> str:
    """Return the options as a table, without those that equal options of another class."""
    shared_defaults, specs = ({}, {}) if without is None else (
        without.defaults(), without.specs())
    rows = []
    for name, spec in options.specs().items():
        default = options.defaults()[name]
        if name not in specs or shared_defaults[name] != default or specs[name] != spec:
            rows.append((f'`{name}`', _kind(spec), f'`{shown(default)}`', _allowed(spec),
                         re.sub(r'([|*<])', r'\\\1', spec.text)))
    return _table(('name', 'type', 'default', 'allowed', ''), rows)


def topics_table(topics: Iterable[Topic]) -> str:
    """Return topics as a table."""
    return _table(('name', 'type', 'quality of service', ''), [
        (f'`{topic.name}`', topic.kind, f'{"reliable" if topic.reliable else "best effort"}, '
         f'{"transient local" if topic.latched else "volatile"}, {topic.depth}', topic.text)
        for topic in topics])


def services_table() -> str:
    """Return the services as a table."""
    return _table(('name', 'type', ''), [
        (f'`{service.name}`', service.kind, service.text) for service in SERVICES])


def package_uses() -> dict[str, set[str]]:
    """Return the packages that each package imports from, without those that others imply."""
    uses = {folder.name: set(_used(folder)) for folder in sorted(PACKAGE.iterdir())
            if (folder / '__init__.py').is_file()}

    def reached(name: str) -> set[str]:
        return uses[name].union(*(reached(other) for other in uses[name]))
    return {name: {other for other in own if not any(
        other in reached(between) for between in own - {other})} for name, own in uses.items()}


def packages_table() -> str:
    """Return the packages as a table, from their docstrings, in the order of their imports."""
    uses, placed = package_uses(), list[str]()
    while len(placed) < len(uses):
        placed += [name for name in uses if name not in placed and uses[name] <= set(placed)]
    rows = []
    for name in placed:
        text = ast.get_docstring(ast.parse((PACKAGE / name / '__init__.py').read_text(
            encoding='utf-8'))) or ''
        rows.append((f'`{name}/`', ' '.join(text.split()),
                     ', '.join(f'`{other}`' for other in sorted(uses[name]))))
    return _table(('package of `ik_node/`', 'what it has', 'uses, with what these use'), rows)


def _used(folder: Path) -> Iterator[str]:
    """Yield the packages that a package imports from."""
    for file in folder.rglob('*.py'):
        for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
            if isinstance(node, ast.ImportFrom) and node.module:
                _, *parts = node.module.split('.')
                if parts and node.module.startswith('ik_node.') and parts[0] != folder.name and (
                        PACKAGE / parts[0]).is_dir():
                    yield parts[0]


def _path_of_a_goal() -> str:
    """Return the steps of a goal as a list, with links to the lines."""
    return '\n'.join(f'{number}. [`{name}`](../ik_node/{file}#L{_line(file, name)}) {text}'
                     for number, (file, name, text) in enumerate(_PATH_OF_A_GOAL, 1))


def _line(file: str, name: str) -> int:
    """Return the line of a function or a method. Raises KeyError where there is none."""
    body = ast.parse((PACKAGE / file).read_text(encoding='utf-8')).body
    for part in name.split('.'):
        node = {node.name: node for node in body if isinstance(
            node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)}[part]
        body = node.body
    return node.lineno


def shown(default: Any) -> str:
    """Return a default as it is written as a parameter."""
    if default is None:
        return 'none'
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, (list, tuple, np.ndarray)):
        return f'[{", ".join(shown(value) for value in default)}]'
    if isinstance(default, float):
        return f'{default:.6g}' if default != int(default) else f'{default:.1f}'
    return str(default) or '""'


def _kind(spec: Spec) -> str:
    kind = _KINDS[spec.kind]
    if spec.listed:
        kind = f'list of {spec.length or ""} {kind}s'.replace('  ', ' ')
    if spec.per_joint:
        kind += ', or one for each joint'
    return kind + (', or a name' if spec.named else '') + (', or `none`' if spec.optional else '')


def _allowed(spec: Spec) -> str:
    """Return the range in words, and the unit."""
    if spec.choices:
        solvers = ArmOptions.specs()['solver'].choices  # of which plug-ins are left out
        own = (choice for choice in spec.choices if spec.choices != solvers
               or choice in (*built_in_names(), *body_solver_names()))
        return ', '.join(f'`{choice}`' for choice in own)
    words = []
    if math.isfinite(spec.low):
        words.append(f'{">" if spec.positive else "≥"} {spec.kind(spec.low)}')
    if math.isfinite(spec.high):
        words.append(f'≤ {spec.kind(spec.high)}')
    if spec.unit:
        words.append(spec.unit)
    return ', '.join(words)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    return '\n'.join(f'| {" | ".join(row)} |'.replace('|  |', '| |') for row in (
        head, ('---',) * len(head), *rows)) if rows else ''


if __name__ == '__main__':
    sys.exit(main())
