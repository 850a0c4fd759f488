"""The menu of a handle: solver, position only, home."""

from visualization_msgs.msg import MenuEntry

from ik_node.solvers.registry import solver_names

HOME, POSITION_ONLY, SOLVER = 1, 2, 3
_FIRST_SOLVER = 4
_TOP = 0  # the parent of entries that have none


def menu_entries(solver: str, position_only: bool) -> list[MenuEntry]:
    """Return the entries, with ticks at the present solver and at position only if set."""
    return [
        _entry(SOLVER, 'Solver'),
        *(_entry(_FIRST_SOLVER + i, _ticked(name, name == solver), SOLVER)
          for i, name in enumerate(solver_names())),
        _entry(POSITION_ONLY, _ticked('Position only', position_only)),
        _entry(HOME, 'Home')]


def chosen_solver(entry: int) -> str | None:
    """Return the solver of an entry; None for other entries."""
    i = entry - _FIRST_SOLVER
    return solver_names()[i] if 0 <= i < len(solver_names()) else None


def _ticked(title: str, ticked: bool) -> str:
    """Return a title as interactive_markers' own menus tick them; the message has no field."""
    return f'[{"x" if ticked else " "}] {title}'


def _entry(number: int, title: str, parent: int = _TOP) -> MenuEntry:
    return MenuEntry(id=number, parent_id=parent, title=title, command_type=MenuEntry.FEEDBACK)
