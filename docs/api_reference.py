"""Reference of the public API as Markdown, from the docstrings."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any

import ik_node
from ik_node import plugins, tasks
from ik_node.lerobot import RobotKinematics
from ik_node.model.body import Body
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.body.base import BodySolver
from ik_node.solvers.result import BodyResult, StopReason
from ik_node.support.exceptions import IkError

CLASSES = (ik_node.KinematicTree, ik_node.Chain, Body, ik_node.Goal, Solver, ik_node.Result,
           BodySolver, BodyResult, RobotKinematics)
"""The classes with their methods; the others of the API have none of their own to call."""
_MADE_DIRECTLY = (ik_node.KinematicTree, ik_node.Goal, RobotKinematics)
_INTERNAL = {'of', 'from_parts'}  # for solvers and readers of models


def blocks() -> dict[str, Callable[[], str]]:
    """Return the functions that make the blocks, by the names used in the pages."""
    makers: dict[str, Callable[[], str]] = {
        'api of the functions': lambda: _functions(ik_node),
        'api of tasks': _tasks,
        'api of plugins': lambda: _functions(plugins),
        'api of StopReason': lambda: '\n'.join(
            f'- `{reason.name}`: {reason.value}' for reason in StopReason),
        'api of the exceptions': _exceptions}
    for kind in CLASSES:
        makers[f'api of {kind.__name__}'] = lambda kind=kind: _class(kind)  # type: ignore[misc]
    return makers


def _functions(module: Any) -> str:
    """Return the functions that a module makes public; of a plug-in's base, its own."""
    functions = {name: getattr(module, name) for name in module.__all__
                 if isinstance(getattr(module, name), FunctionType)}
    return '\n\n'.join(_entry(name, function, 3) for name, function in functions.items()
                       if module is ik_node or function.__module__ == module.__name__)


def _class(kind: type) -> str:
    """Return a class, its constructor and its public members, inherited ones of the package too."""
    parts = [_text(kind), *_fields(kind)]
    if kind in _MADE_DIRECTLY:
        parts.append(_entry(kind.__name__, kind, 4, _own_text(kind.__init__)))
    for name in dict.fromkeys(name for base in kind.__mro__ if _is_ours(base)
                              for name in vars(base) if name not in _INTERNAL and name[0] != '_'):
        member = inspect.getattr_static(kind, name)
        if isinstance(member, property):
            parts.append(f'#### `{name}`\n\n{_text(member)}')
        elif isinstance(member, (FunctionType, classmethod, staticmethod)):
            owner = kind.__name__ + '.' if isinstance(member, (classmethod, staticmethod)) else ''
            parts.append(_entry(owner + name, getattr(kind, name), 4))
    return '\n\n'.join(parts)


def _fields(kind: type) -> list[str]:
    """Return the fields of a named tuple as a list, with the texts that follow them in the code."""
    base = next((base for base in kind.__mro__ if '_fields' in vars(base)), None)
    if base is None:
        return []
    body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body  # type: ignore[attr-defined]
    lines = []
    for statement, following in zip(body, [*body[1:], None]):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            text = (f': {following.value.value}' if isinstance(following, ast.Expr)
                    and isinstance(following.value, ast.Constant)
                    and isinstance(following.value.value, str) else '')
            lines.append(f'- `{statement.target.id}`{text}')
    return ['\n'.join(lines)]


def _tasks() -> str:
    """Return every task: what it asks for, and what its constructor takes."""
    parts = []
    for name in tasks.__all__:
        kind = getattr(tasks, name)
        arguments, own = ('', '') if inspect.isabstract(kind) else (
            _arguments(kind), _own_text(kind.__init__))
        parts += [f'### `{name}{arguments}`\n\n{_text(kind)}', own]
    return '\n\n'.join(filter(None, parts))


def _exceptions() -> str:
    """Return IkError and what is derived from it, as a list."""
    kinds = [IkError]
    for kind in kinds:  # grows as it is walked: children after their parents
        kinds.extend(child for child in kind.__subclasses__() if _is_ours(child)
                     and child.__module__ == IkError.__module__)
    return '\n'.join(f'- `{kind.__name__}`' + (
        '' if kind is IkError else f' ({", ".join(base.__name__ for base in kind.__bases__)})')
        + f': {" ".join(_text(kind).split())}' for kind in kinds)


def _entry(name: str, function: Any, level: int, text: str | None = None) -> str:
    return (f'{"#" * level} `{name}{_arguments(function)}`\n\n'
            f'{_text(function) if text is None else text}')


def _arguments(function: Any) -> str:
    """Return the parameters with their defaults; their types are in the docstring."""
    parameters = [parameter.replace(annotation=parameter.empty) for parameter in
                  inspect.signature(function).parameters.values() if parameter.name != 'self']
    return str(inspect.Signature(parameters))


def _own_text(function: Any) -> str:
    """Return the docstring of a function itself, none where it inherits one."""
    return _formatted(inspect.cleandoc(function.__doc__ or ''))


def _text(documented: Any) -> str:
    return _formatted(inspect.getdoc(documented) or '')


def _formatted(text: str) -> str:
    """Return a docstring as Markdown: examples fenced, lists set off, stars kept as they are."""
    text = re.sub(r'((?:^(?:>>>|\.\.\.) .*\n?)+)', r'```python\n\1```\n', text, flags=re.MULTILINE)
    return re.sub(r'(:)\n(?=- )', r'\1\n\n', text).strip()


def _is_ours(kind: type) -> bool:
    return kind.__module__.split('.')[0] == ik_node.__name__
