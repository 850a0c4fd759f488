"""The menu of a handle: solver, position only, home."""

from collections.abc import Sequence

from visualization_msgs.msg import MenuEntry

HOME, POSITION_ONLY, SOLVER = 1, 2, 3
_FIRST_SOLVER = 4
_TOP = 0  # the parent of entries that have none


def menu_entries(solvers: Sequence[str], solver: str,
                 position_only: bool | None) -> list[MenuEntry]:
    """Return the entries, with ticks at the present solver and at position only if set.

    solvers: the names to choose from. position_only: None where there is no choice.
    """
    return [
        _entry(SOLVER, 'Solver'),
        *(_entry(_FIRST_SOLVER + i, _ticked(name, name == solver), SOLVER)
          for i, name in enumerate(solvers)),
        *([] if position_only is None else [
            _entry(POSITION_ONLY, _ticked('Position only', position_only))]),
        _entry(HOME, 'Home')]


def chosen_solver(solvers: Sequence[str], entry: int) -> str | None:
    """Return the solver of an entry; None for other entries."""
    i = entry - _FIRST_SOLVER
    return solvers[i] if 0 <= i < len(solvers) else None


def _ticked(title: str, ticked: bool) -> str:
    """Return a title as interactive_markers' own menus tick them; the message has no field."""
    return f'[{"x" if ticked else " "}] {title}'


def _entry(number: int, title: str, parent: int = _TOP) -> MenuEntry:
    return MenuEntry(id=number, parent_id=parent, title=title, command_type=MenuEntry.FEEDBACK)
