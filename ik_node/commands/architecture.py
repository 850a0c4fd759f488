"""The packages and the path of a goal in docs/architecture.md, from the code."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_PATH_OF_A_GOAL = (
    ('ros/intake/goals.py', 'Goals.take', 'the callback of the subscription'),
    ('ros/intake/dispatcher.py', 'Dispatcher.receive', 'checks whether the node is active and '
     'enabled, the age of the goal and its group; an invalid message is refused here'),
    ('ros/intake/frames.py', 'Frames.to_aim', 'converts the message into an `Aim`: a target in the '
     'frame of its task; a frame that may still come lets the goal wait'),
    ('control/worker.py', 'Worker.begin', 'begins the goal, a coroutine; an older one of the '
     'group is cancelled when its turn is over'),
    ('ros/intake/goals.py', 'Goals._serve', 'is that coroutine: the goals that have arrived for '
     'the tasks of a group are solved together; a failure to solve or to move is refused here'),
    ('control/controller.py', 'Controller.go', 'solves and moves; the target of a task changes '
     'here, when it is met'),
    ('control/worker.py', 'Worker._proceed', 'runs each search that the coroutine awaits: at '
     'once where it is short, else in the thread of the group'),
    ('control/arm.py', 'Arm.solve', 'or `TaskGroup.solve`: calls the solver'),
    ('solvers/iterative.py', 'IterativeSolver.solve', 'calls the kernel'),
    ('ros/publishing/outcomes.py', 'Outcomes.publish', 'publishes joint states first, then status '
     'and markers'))
"""File, function and what it does."""


def blocks() -> dict[str, Callable[[], str]]:
    """Return the functions that make the blocks, by the names used in the page."""
    return {'packages': _packages, 'path of a goal': _path_of_a_goal}


def package_uses() -> dict[str, set[str]]:
    """Return the packages that each package imports from, without those that others imply."""
    uses = {folder.name: set(_used(folder)) for folder in sorted(PACKAGE.iterdir())
            if (folder / '__init__.py').is_file()}

    def reached(name: str) -> set[str]:
        return uses[name].union(*(reached(other) for other in uses[name]))
    return {name: {other for other in own if not any(
        other in reached(between) for between in own - {other})} for name, own in uses.items()}


def _packages() -> str:
    """Return the packages as a table, from their docstrings, in the order of their imports."""
    uses, placed = package_uses(), list[str]()
    while len(placed) < len(uses):
        placed += [name for name in uses if name not in placed and uses[name] <= set(placed)]
    rows = ['| package of `ik_node/` | what it has | uses, with what these use |',
            '|---|---|---|']
    for name in placed:
        text = ast.get_docstring(ast.parse((PACKAGE / name / '__init__.py').read_text(
            encoding='utf-8'))) or ''
        rows.append(f'| `{name}/` | {" ".join(text.split())} | '
                    f'{", ".join(f"`{other}`" for other in sorted(uses[name]))} |')
    return '\n'.join(rows).replace('|  |', '| |')


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
