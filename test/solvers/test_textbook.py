"""The run of figs 5.20–5.25 [Parent]: one Euler step per frame, in 20 frames to (−20, 5)."""

import numpy as np
import pytest

import robots
from ik_node import Goal, make_solver

START = np.array([np.pi / 8, np.pi / 4, np.pi / 4])


def run(goal, name, **options):
    """Return (angles in degrees, the tip, the largest distance to a frame's goal, steps taken)."""
    chain = robots.planar(15.0, 10.0, 5.0)
    solver = make_solver(name, chain, **options)
    q, largest, steps = START.copy(), 0.0, []
    start = chain.forward(q)[:3, 3]
    for frame in range(1, 21):
        there = start + (np.array([*goal, 0.0]) - start) * frame / 20
        steps.append(solver.step(Goal(position=there), q))
        q = q + steps[-1]
        largest = max(largest, np.linalg.norm(chain.forward(q)[:3, 3] - there))
    return np.degrees(q), chain.forward(q)[:2, 3], largest, np.abs(steps).max()


@pytest.mark.parametrize(('name', 'options', 'angles', 'tip', 'largest'), [
    ('pseudoinverse', {}, (122.1, 78.6, 37.7), (-19.948, 4.920), 0.182),
    ('dls', {'damping': 5}, (120.9, 80.2, 38.6), (-19.563, 4.957), 0.439),
    ('pseudoinverse', {'jacobian': 'goal'}, (122.2, 78.9, 37.8), (-19.913, 4.802), 0.259),
    ('pseudoinverse', {'bias_target': 0.0, 'bias_gain': (0.1, 0.5, 0.1)},
     (133.8, 51.4, 89.6), (-19.924, 4.936), 0.312),
    ('transpose', {}, (122.6, 79.7, 38.4), (-19.780, 4.471), 3.224)])
def test_the_figures_come_out_to_the_printed_digits(name, options, angles, tip, largest):
    found = run((-20.0, 5.0), name, **options)
    assert found[0] == pytest.approx(angles, abs=0.05)
    assert found[1] == pytest.approx(tip, abs=5e-4)
    assert found[2] == pytest.approx(largest, abs=5e-4)


def test_out_of_reach_the_pseudoinverse_leaps_and_damping_holds_it():
    # Fig. 5.21: (−35, 5) is 35.4 m away, the arm 30 m long.
    assert run((-35.0, 5.0), 'pseudoinverse')[3] > 1.0
    assert run((-35.0, 5.0), 'dls', damping=5)[3] == pytest.approx(0.3, abs=0.05)


def test_a_fixed_step_of_the_transpose_diverges_on_the_texts_own_arm():
    # α < 2/σ_max² is needed; the text prints 0.1, and σ_max² is near 600 there.
    assert run((-20.0, 5.0), 'transpose', alpha=0.1)[2] > 10.0
    assert run((-20.0, 5.0), 'transpose', alpha=0.002)[2] < 6.0


def test_ccd_follows_the_path_in_every_order():
    for order in ('inward', 'outward', 'ranked'):
        assert run((-20.0, 5.0), 'ccd', order=order)[2] < 3.0
