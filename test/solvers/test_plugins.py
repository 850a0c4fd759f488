"""Solvers that other packages bring: found by entry point, and harmless where they are broken."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import plugin_packages
import robots
from ik_node import IkError, StopReason, make_solver, plugins, solver_names
from ik_node.commands.ik_inspect import main as ik_inspect
from ik_node.solvers import registry
from ik_node.support.clock import Cancellation

TEST = Path(__file__).parents[1]
# Of the conformance suite, what asks for more than the promises of a result: a name for every
# failure.
REASONS = 'unreachable or singular_start_is_named or a_batch_is_solved'


@pytest.fixture
def mixed(tmp_path, monkeypatch):
    plugin_packages.write_good_and_broken(tmp_path)
    plugin_packages.activate(monkeypatch, tmp_path)


@pytest.fixture
def own_solver(tmp_path, monkeypatch):
    plugin_packages.install_own_solver(tmp_path)
    plugin_packages.activate(monkeypatch, tmp_path)


def test_an_installed_solver_is_there_by_its_name_with_its_options(own_solver):
    assert 'least_squares' in solver_names()
    assert list(solver_names()) == sorted(solver_names())
    chain = robots.planar(1.0, 0.8)
    q = np.array([0.4, 0.9])
    result = make_solver('least_squares', chain, length=0.5).solve(chain.forward(q), q + 0.2)
    assert result.success
    assert result.q == pytest.approx(q, abs=1e-5)
    with pytest.raises(IkError, match="no least_squares option 'lenght'; did you mean 'length'"):
        make_solver('least_squares', chain, lenght=0.5)


def test_the_example_searches_near_q0_and_ends_where_it_is_cancelled(own_solver):
    chain = robots.planar(1.0, 0.8, 0.5)
    solver = make_solver('least_squares', chain, consistency_limits=0.3)
    rng = np.random.default_rng(0)
    for q0 in rng.uniform(-2.0, 2.0, (10, 3)):
        q = q0 + rng.uniform(-0.25, 0.25, 3)
        result = solver.solve(chain.forward(q), q0)
        assert result.success
        assert (np.abs(result.q - q0) <= 0.3).all()
    cancellation = Cancellation()
    cancellation.cancel()
    with cancellation:
        result = solver.solve(chain.forward([0.1, 1.0, 0.2]), np.zeros(3))
    assert result.reason is StopReason.TIMEOUT
    assert result.restarts <= 1


@pytest.mark.slow
def test_an_installed_solver_passes_the_conformance_suite(own_solver):
    run = subprocess.run(
        [sys.executable, '-m', 'pytest', 'solvers/test_conformance.py', '-p', 'no:cacheprovider',
         '-k', f'least_squares and not ({REASONS})'],
        cwd=TEST, capture_output=True, text=True, timeout=300, check=False, env=dict(os.environ))
    assert run.returncode == 0, run.stdout
    assert int(run.stdout.split(' passed')[0].split()[-1]) > 30


def test_plugins_are_not_imported_before_they_are_needed(mixed):
    code = ('import sys, ik_node\n'
            'from ik_node.solvers.registry import solver_class\n'
            'solver_class("dls")\n'
            'assert "lazy_ik" not in sys.modules\n'
            'assert "lazy" in ik_node.solver_names()\n'
            'assert "lazy_ik" in sys.modules\n')
    run = subprocess.run([sys.executable, '-W', 'ignore', '-c', code], capture_output=True,
                         text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr


def test_what_is_broken_is_warned_of_once_and_breaks_nothing_else(mixed):
    with pytest.warns(RuntimeWarning) as reported:
        names = solver_names()
    texts = [str(warning.message) for warning in reported]
    assert len(texts) == len(plugin_packages.REFUSED)
    for name, (_, reason) in plugin_packages.REFUSED.items():
        assert any(f"the solver '{name}' of rotten 1.2 cannot be used: " in text
                   and reason in text for text in texts), name
    assert set(names) == {*registry.built_in_names(), 'lazy'}
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert make_solver('lazy', robots.planar(1.0)).options.patience == 2.0
        assert solver_names() == names


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
@pytest.mark.parametrize('name', [name for name in plugin_packages.REFUSED if name != 'dls'])
def test_a_broken_one_is_refused_by_its_name_with_the_reason(mixed, name):
    reason = plugin_packages.REFUSED[name][1]
    with pytest.raises(IkError, match='of rotten 1.2 cannot be used') as refused:
        make_solver(name, robots.planar(1.0))
    assert reason in str(refused.value)


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_a_name_that_is_taken_stays_whose_it_was(mixed):
    own = type(make_solver('dls', robots.planar(1.0)))
    assert own.__module__ == 'ik_node.solvers.jacobian.solvers'
    with pytest.raises(IkError, match="no solver 'lm'.*'dls', .*'lazy', .*'pseudoinverse'"):
        make_solver('lm', robots.planar(1.0))


def test_of_two_with_one_name_the_first_is_taken(tmp_path, monkeypatch):
    first, second = tmp_path / 'first', tmp_path / 'second'
    plugin_packages.write_package(first, 'one', {'lazy': 'lazy_ik:Lazy'},
                                  {'lazy_ik': plugin_packages.GOOD})
    plugin_packages.write_package(second, 'other', {'lazy': 'other_ik:Lazy'},
                                  {'other_ik': plugin_packages.GOOD})
    plugin_packages.activate(monkeypatch, second)
    plugin_packages.activate(monkeypatch, first)
    with pytest.warns(RuntimeWarning, match="'lazy' of other 1.2 .* taken already"):
        assert 'lazy' in solver_names()


def test_ik_inspect_shows_plugins_and_what_one_raises(tmp_path, monkeypatch, capsys):
    code = plugin_packages.GOOD.replace('    Options = LazyOptions\n', '''
    def __init__(self, chain, **options):
        1 / 0
''')
    plugin_packages.write_package(tmp_path, 'zero', {'lazy': 'zero_ik:Lazy'}, {'zero_ik': code})
    plugin_packages.activate(monkeypatch, tmp_path)
    assert ik_inspect(['planar_3r']) == 0
    printed = capsys.readouterr().out
    assert 'ZeroDivisionError: division by zero' in printed
    assert 'transpose' in printed


def test_the_turn_nearest_to_what_no_turn_comes_near_is_inside_the_limits():
    chain = robots.planar(1.0, 0.8, limit=3.0)
    for far in (1e9, -1e17, 1e160, -1e300):
        q = plugins.nearest_turn(chain, [far, 0.0], [1.0, 0.5])
        assert q == pytest.approx([1.0, 0.5], abs=1e-6)


def test_the_base_of_plug_ins_has_what_they_need():
    chain = robots.planar(1.0, 1.0, limit=7.0)
    q = np.array([0.3, 0.4])
    turned = np.eye(4)
    turned[:2, :2] = [[0.0, -1.0], [1.0, 0.0]]
    at_goal = plugins.pose_error(chain, chain.forward(q), q)
    assert at_goal == pytest.approx(np.zeros(6), abs=1e-12)
    # The tip at zero is at x = 2; the goal's x axis is the base's y axis.
    assert plugins.pose_error(chain, turned, [0.0, 0.0]) == pytest.approx(
        [0.0, 2.0, 0.0, 0.0, 0.0, np.pi / 2])
    assert plugins.nearest_turn(chain, [6.0, 0.0], q) == pytest.approx([0.3 + 2 * np.pi, 0.4])
    assert q.tolist() == [0.3, 0.4]
    for wrong in ([1.0], 'x', [np.nan, 0.0]):
        with pytest.raises(plugins.InputError):
            plugins.nearest_turn(chain, q, wrong)
        with pytest.raises(plugins.IkError):
            plugins.pose_error(chain, turned, wrong)
