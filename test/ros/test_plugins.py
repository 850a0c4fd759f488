"""A solver of another package in the node: a choice and a table of parameters like any other."""

import pytest

import plugin_packages
import robots
from harness.ros_harness import running

pytestmark = pytest.mark.slow  # a process looks for plug-ins once, at its start
PLANAR = robots.OWN / 'planar_3r.urdf'


def test_a_plugin_is_a_choice_and_its_options_are_parameters(tmp_path, monkeypatch):
    plugin_packages.install_own_solver(tmp_path)
    plugin_packages.activate(monkeypatch, tmp_path)
    chain = robots.chain('planar_3r')
    with running(urdf_path=PLANAR, solver='least_squares') as node:
        answer = node.client.send(chain.forward([0.5, 0.8, -0.4]), timeout=60.0)
        assert answer.met
        assert answer.values['solver'] == 'least_squares'
        solver, length = node.describe('solver', 'least_squares.length')
        assert 'least_squares' in solver.additional_constraints.split(', ')
        assert length.description == 'the error that counts as much as one radian [m]'
        assert node.get('least_squares.length', 'least_squares.max_restarts') == [1.0, 100]
        assert node.set(least_squares__max_iterations=1,
                        least_squares__max_restarts=0) == (True, '')
        assert node.client.send(chain.forward([2.0, -0.8, 1.4])).values['reason'] == 'ITERATIONS'
        successful, _ = node.set(least_squares__length=-1.0)
        assert not successful
        assert node.set(solver='dls') == (True, '')
        assert node.set(solver='least_squares', motion='cartesian') == (True, '')


def test_a_broken_plugin_is_reported_and_the_node_serves(tmp_path, monkeypatch):
    plugin_packages.write_good_and_broken(tmp_path)
    plugin_packages.activate(monkeypatch, tmp_path)
    chain = robots.chain('planar_3r')
    with running(urdf_path=PLANAR) as node:
        assert node.until(lambda: "'raising' of rotten 1.2 cannot be used: "
                          'raising_ik:Solver cannot be imported: ZeroDivisionError' in node.log())
        assert node.client.send(chain.forward([0.5, 0.8, -0.4]), timeout=60.0).met
        assert node.get('lazy.patience') == pytest.approx(2.0)
        successful, reason = node.set(solver='raising')
        assert not successful
        assert "solver must be one of 'analytic', 'auto', 'ccd', 'dls', " in reason
        assert "'lazy', " in reason
        assert node.alive()


FAILING = '''
from ik_node.solvers.arm.base import Solver

class Failing(Solver):
    name = 'failing'
    def {method}(self, *_, **__):
        return 1 / 0
'''


def test_a_plugin_that_raises_where_it_solves_has_its_goals_refused(tmp_path, monkeypatch):
    code = FAILING.format(method='_solve')
    plugin_packages.write_package(tmp_path, 'bad', {'failing': 'failing_ik:Failing'},
                                  {'failing_ik': code})
    plugin_packages.activate(monkeypatch, tmp_path)
    chain = robots.chain('planar_3r')
    with running(urdf_path=PLANAR, solver='failing') as node:
        answer = node.client.send(chain.forward([0.5, 0.8, -0.4]), timeout=60.0)
        assert answer.values['reason'] == 'REFUSED'
        assert 'ZeroDivisionError: division by zero' in answer.message
        assert node.set(solver='dls') == (True, '')
        assert node.client.send(chain.forward([0.5, 0.8, -0.4]), timeout=60.0).met
