"""Numbers with which kernels say how a search ended."""

from ik_node.solvers import codes
from ik_node.solvers.result import REASONS, StopReason


def test_a_search_that_ended_is_told_by_its_reason():
    assert REASONS[codes.CONVERGED] is StopReason.CONVERGED
    assert REASONS[codes.EXHAUSTED] is StopReason.ITERATIONS
    assert REASONS[codes.STALLED] is StopReason.STALLED
    assert REASONS[codes.BEYOND] is StopReason.UNREACHABLE
    assert REASONS[codes.TIMED_OUT] is StopReason.TIMEOUT
    assert REASONS[codes.SINGULAR] is StopReason.SINGULAR
