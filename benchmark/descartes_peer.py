"""Plans paths with Descartes of ROS-Industrial, through candidates of our closed forms.

Descartes brings no kinematics of its own: it searches a ladder graph of candidates that its user
lists. `library` is descartes_peer.cpp, compiled with descartes_light's headers and -O3.
"""

import ctypes
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np

from ik_node import Chain, Goal

_TURN = 2.0 * np.pi


class Descartes:
    """Descartes' ladder graph for an arm with closed forms; steps are limited as ours are."""

    def __init__(self, library: Path, chain: Chain, solver: Any, max_joint_step: float) -> None:
        """Load the library. solver: lists the candidates."""
        self._chain, self._solver, self._most = chain, solver, max_joint_step
        self._plan = ctypes.CDLL(str(library)).descartes_path
        self._plan.restype = ctypes.c_double

    def candidates(self, poses: np.ndarray) -> list[np.ndarray]:
        """Return every branch (k, n) of each pose inside the limits, with all turn copies, rad."""
        goals = [Goal.from_pose(pose) for pose in poses]
        return [self._with_turns(found) for found in self._solver._candidates(
            goals, None, 1, math.inf)]

    def solve_path(self, candidates: list[np.ndarray]) -> tuple[np.ndarray | None, float]:
        """Return the path (m, n), None where there is none, and the time of the search, s."""
        n = self._chain.n_joints
        counts = np.array([len(one) for one in candidates], dtype=np.int64)
        rows = np.ascontiguousarray(np.concatenate(candidates))
        path = np.empty((len(candidates), n))
        seconds = self._plan(
            counts.ctypes.data_as(ctypes.c_void_p), ctypes.c_long(len(counts)), ctypes.c_long(n),
            rows.ctypes.data_as(ctypes.c_void_p), ctypes.c_double(self._most),
            path.ctypes.data_as(ctypes.c_void_p))
        return (path if seconds > 0.0 else None), abs(seconds)

    def _with_turns(self, found: np.ndarray) -> np.ndarray:
        """Return candidates (k, n) with the turn copies that the limits allow."""
        chain = self._chain
        shifts = [np.arange(-1, 2) * _TURN if chain.turns[k] and (
            chain.upper[k] - chain.lower[k] >= _TURN) else np.zeros(1)
            for k in range(chain.n_joints)]
        copies = (found[:, None] + np.array(list(itertools.product(*shifts)))).reshape(
            -1, chain.n_joints)
        return copies[((copies >= chain.lower) & (copies <= chain.upper)).all(axis=1)]
