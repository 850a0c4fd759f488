"""The options of a solver in groups, with their defaults, for the page."""

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any

from ik_node.ros.parameters import to_parameter
from ik_node.solvers.body.registry import body_solver_class, body_solver_names
from ik_node.solvers.registry import solver_class, solver_names
from ik_node.support.exceptions import IkError

FIRST = 'tolerances'
_GROUPS = {
    FIRST: ('position_tolerance', 'orientation_tolerance'),
    'search': ('max_iterations', 'max_restarts', 'max_step', 'timeout', 'seed', 'closest',
               'prefer'),
    'damping': ('damping', 'damping_rule', 'error_share', 'max_angle', 'rank_tolerance'),
    'null space': ('bias_target', 'bias_gain', 'bias_exponent', 'manipulability_gain',
                   'joint_weights', 'elbow', 'hand_axis', 'comfort_zone', 'torso_plane',
                   'torso_capsule'),
    'limits': ('lower', 'upper', 'limit_margin')}
_OWN = 'of the method'
_DATA = ('examples',)  # what a solver works with is no setting, and has no default


def grouped(options: Iterable[str]) -> dict[str, list[str]]:
    """Return options by their groups, in a fixed order; those of one method only come last."""
    left = list(options)
    found = {}
    for group, members in _GROUPS.items():
        own = [name for name in members if name in left]
        if own:
            found[group] = own
            left = [name for name in left if name not in own]
    return {**found, _OWN: left} if left else found


def default_values(solver: str) -> Mapping[str, Any]:
    """Return the defaults of a solver as values of parameters; empty for one not installed here."""
    defaults: dict[str, Any] = {}
    for solvers, find in ((body_solver_names(), body_solver_class),
                        (solver_names(), solver_class)):  # as of arms where both have an option
        if solver in solvers:
            with contextlib.suppress(IkError):  # of a plug-in that cannot be imported
                defaults.update(find(solver).Options.defaults())
    return {name: to_parameter(value) for name, value in defaults.items() if name not in _DATA}
