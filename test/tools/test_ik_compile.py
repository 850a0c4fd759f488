"""The command that compiles ahead."""

import subprocess
import sys

import pytest

import robots
from ik_node import KinematicTree, _jit, make_solver
from ik_node.tools.ik_compile import main

needs_numba = pytest.mark.skipif(not _jit.HAVE_NUMBA, reason='nothing is compiled without numba')


@needs_numba
def test_all_that_a_solver_of_a_robot_can_reach_is_compiled(capsys):
    assert main(['planar_3r', 'analytic']) == 0
    last = capsys.readouterr().out.splitlines()[-1].split()
    solver = make_solver('analytic', KinematicTree.from_urdf(
        robots.OWN / 'planar_3r.urdf').chain())
    kernels = {*solver.kernels(), *solver.rare_kernels()}
    assert last == [f'{len(kernels)}/{len(kernels)}', 'ready']
    assert not _jit.runs_plain(kernels)


@needs_numba
@pytest.mark.parametrize(('arguments', 'words'), [
    (['nobody'], "there is no robot 'nobody'"),
    (['planar_3r', 'lm'], "there is no solver 'lm'"),
    (['planar_3r', '--tip', 'hand'], "there is no tip link 'hand'")])
def test_wrong_arguments_are_refused_in_a_line(capsys, arguments, words):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_without_numba_it_says_what_is_missing():
    run = subprocess.run(
        [sys.executable, '-c', 'import no_numba; from ik_node.tools.ik_compile import main; '
         'raise SystemExit(main([]))'], capture_output=True, text=True, timeout=60, check=False,
        cwd=robots.OWN.parent / 'test')
    assert run.returncode == 1, run.stderr
    assert 'numba is not installed' in run.stderr
