"""Compiles kernels into the cache ahead of their use, for image builds."""

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Iterable, Sequence

import ik_node
from ik_node import _jit
from ik_node.exceptions import IkError, UnsupportedError
from ik_node.model.readers import read_model
from ik_node.resources import robot_file
from ik_node.solvers.registry import make_solver, solver_names
from ik_node.tools.inspection import chains_to_show

_WITHOUT_KERNELS = ('ros', 'demo', 'viewer', 'tools')


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 1 where a kernel cannot be compiled, 2 for errors."""
    options = _arguments(arguments)
    if not _jit.HAVE_NUMBA:
        print(f'ik_compile: {_jit.INSTALL_HINT}', file=sys.stderr)
        return 1
    try:
        kernels = list(dict.fromkeys(
            _of_robot(options) if options.robot or options.solver else _all_kernels()))
    except (IkError, FileNotFoundError) as error:
        print(f'ik_compile: {error}', file=sys.stderr)
        return 2
    print(f'{len(_jit.waiting_for(kernels))} of {len(kernels)} kernels to prepare')
    _jit.prepare(kernels, _show)
    failed = [kernel.name for kernel in kernels if kernel.is_plain]
    if failed:
        print(f'ik_compile: cannot compile {", ".join(failed)}', file=sys.stderr)
    return 1 if failed else 0


def _show(done: int, total: int, name: str) -> None:
    print(f'{done:3d}/{total}  {name or "ready"}', flush=True)


def _of_robot(options: argparse.Namespace) -> Iterable[_jit.Kernel]:
    """Yield the kernels of the named solvers for a robot, by default of all that fit it."""
    tree = read_model(robot_file(options.robot))
    for chain in chains_to_show(tree, options.base, options.tip):
        for name in options.solver or solver_names():
            try:
                solver = make_solver(name, chain)
                yield from (*solver.kernels(), *solver.rare_kernels())
            except UnsupportedError:
                if options.solver:
                    raise


def _all_kernels() -> Iterable[_jit.Kernel]:
    """Return every kernel of the package, and of plug-ins."""
    for module in pkgutil.walk_packages(ik_node.__path__, 'ik_node.'):
        if module.name.split('.')[1] not in _WITHOUT_KERNELS:
            importlib.import_module(module.name)
    solver_names()
    return _jit.all_entries()


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='ik_compile', description=__doc__)
    parser.add_argument('robot', nargs='?', help='a .urdf or .xacro file, a .yaml of '
                        'Denavit-Hartenberg rows, or one of the robots of this package; by '
                        'default all kernels are compiled')
    parser.add_argument('solver', nargs='*', help='names of solvers; by default all')
    parser.add_argument('--base', metavar='LINK', help='base link of the chain')
    parser.add_argument('--tip', metavar='LINK', help='tip link of the chain')
    return parser.parse_args(arguments)


if __name__ == '__main__':
    sys.exit(main())
