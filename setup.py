"""Builds ik_node, with colcon as an ament_python package or with pip."""

import contextlib
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from glob import glob
from pathlib import Path
from xml.etree import ElementTree

import setuptools
from setuptools import Extension, find_packages, setup

sys.path.insert(0, str(Path(__file__).resolve().parent))  # not there when pip or colcon build
from kernel_headers import write_declarations

NAME = 'ik_node'
PACKAGE = ElementTree.parse(Path(__file__).with_name('package.xml')).getroot()
URLS = {url.get('type'): url.text for url in PACKAGE.iter('url')}

# Vectorised, the loops over six rows take 1.25 to 1.5 times as long. Without contraction results
# are the same on every machine. With gcc's own limit of inlining closed forms take a sixth longer.
# gcc takes results of C tuples for uninitialised.
FLAGS = ['/O2', '/fp:precise'] if sys.platform == 'win32' else [
    '-O3', '-g0', '-fno-tree-vectorize', '-ffp-contract=off', '-finline-limit=300',
    '-Wno-maybe-uninitialized', '-Wno-unknown-warning-option', '-Wno-ignored-optimization-argument']
CHECKED = os.environ.get('IK_NODE_BOUNDSCHECK') == '1'  # for `make sanitize`
DIRECTIVES = {
    'language_level': 3, 'boundscheck': CHECKED, 'wraparound': False, 'cdivision': True,
    'cpow': True, 'infer_types': True, 'initializedcheck': False, 'annotation_typing': False,
    'auto_pickle': False,
}
OLDEST = (3, 0, 8)  # Cython of Ubuntu 24.04
SHARES = (3, 1, 0)  # has one module for what each one has a copy of else: less than half the time
ADVICE = ('the kernels of ik_node run as plain Python, which is a few hundred times slower. '
          'Install a C compiler and the headers of Python (on Debian and Ubuntu: gcc python3-dev)')

# ROS 2 as wheels from PyPI, for machines without a ROS install.
MESSAGES = ('diagnostic', 'geometry', 'nav', 'sensor', 'std', 'trajectory', 'visualization')


def wheels(distro, rclpy):
    """Return what a ROS distribution is made of, as far as the node needs it."""
    return [f'ros-rclpy[fastrtps]{rclpy}', *(f'ros-{distro}-{name}-msgs' for name in MESSAGES),
            f'ros-{distro}-std-srvs']


def kernels():
    """Return the extension modules: every module with a `.pxd` of C types beside it.

    The first line of a `.pxd` says where the module is not compiled: numbers, and functions that
    are inlined where they are used.
    """
    return [Extension('.'.join(header.with_suffix('').parts), [str(header.with_suffix('.py'))],
                      extra_compile_args=FLAGS)
            for header in sorted(Path(NAME).rglob('*.pxd'))
            if not header.read_text().startswith('# Not compiled')]


def shared_code(folder):
    """Return the module of what Cython lets the others share; its C code goes to a folder."""
    name, source = f'{NAME}.support.shared_code', Path(folder, 'shared_code.c')
    if not source.exists():
        source.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, '-m', 'cython', f'--generate-shared={source}',
                        '--module-name', name], check=True)
    return Extension(name, [str(source)], extra_compile_args=FLAGS)


def compiler():
    """Return the command of a C compiler that finds Python's headers; None without one.

    On Windows setuptools finds its own, and '' is returned.
    """
    if sys.platform == 'win32':
        return ''
    commands = [os.environ.get('CC') or sysconfig.get_config_var('CC') or 'cc']
    if importlib.util.find_spec('ziglang'):
        commands.append(f'{shlex.quote(sys.executable)} -m ziglang cc -mcpu=baseline')
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, 'probe.c')
        source.write_text('#include <Python.h>\n')
        for command in commands:
            with contextlib.suppress(OSError, subprocess.CalledProcessError):
                subprocess.run([*shlex.split(command), '-I', sysconfig.get_path('include'),
                                '-c', source, '-o', Path(folder, 'probe.o')],
                               check=True, capture_output=True)
                return command
    return None


def is_compiled(extension):
    """Tell whether a module in the checkout is compiled from the C code as it is."""
    module = Path(*extension.name.split('.')).with_suffix(sysconfig.get_config_var('EXT_SUFFIX'))
    return (module.exists()
            and module.stat().st_mtime > Path(extension.sources[0]).stat().st_mtime)


def extensions():
    """Return the extension modules to compile; none without a compiler."""
    commands = {*sys.argv}
    if not commands & {'build', 'build_ext', 'bdist_wheel', 'develop', 'editable_wheel', 'install'}:
        return []  # for the name, the version or the sources alone
    import Cython
    from Cython.Build import cythonize
    version = tuple(map(int, re.findall(r'\d+', Cython.__version__)[:3]))
    if version < OLDEST:
        sys.exit(f'Cython {".".join(map(str, OLDEST))} or newer is needed to build {NAME}, this is '
                 f'{Cython.__version__}: `python3 -m pip install --upgrade Cython`, or the package '
                 'cython3 of Ubuntu 24.04 or newer')
    command = compiler()
    if command is None:
        print(f'warning: {ADVICE}, and build again.', file=sys.stderr)
        return []
    if command:
        os.environ['CC'] = command
    write_declarations(NAME)
    modules, shared = kernels(), {}
    folder = f'build/kernels/{Cython.__version__}' + CHECKED * '-checked'
    if version >= SHARES:
        modules.append(shared_code(folder))
        shared['shared_utility_qualified_name'] = modules[-1].name
    found = cythonize(modules, compiler_directives=DIRECTIVES, build_dir=folder,
                      nthreads=os.cpu_count(), quiet=True, **shared)  # colcon reads what is printed
    in_place = commands & {'--inplace', 'develop', 'editable_wheel'}
    return [one for one in found if not (in_place and is_compiled(one))]


KILTED = wheels('kilted', '>=9,<10')
JAZZY = wheels('jazzy', '>=7,<8')
# The compiler of MJCF alone; for older interpreters it is in the whole package only.
MUJOCO = ['mujoco-core>=4; python_version >= "3.11"', 'mujoco; python_version < "3.11"']

setup(
    name=NAME,
    version=PACKAGE.findtext('version'),
    description='Inverse kinematics as a ROS 2 node, by every method of the literature',
    long_description=re.sub(  # package indices have no files beside it
        r'(\]\(|src(?:set)?=")(?!https?:|#)', rf'\1{URLS["repository"]}/',
        Path(__file__).with_name('README.md').read_text(encoding='utf-8')),
    long_description_content_type='text/markdown',
    # The name of the field has changed with setuptools 77.
    **{'license_expression' if int(setuptools.__version__.split('.')[0]) >= 77 else 'license':
       PACKAGE.findtext('license')},
    license_files=['LICENSE'],
    maintainer=PACKAGE.findtext('maintainer'),
    maintainer_email=PACKAGE.find('maintainer').get('email'),
    url=URLS['website'],
    project_urls={'Source': URLS['repository'], 'Issues': URLS['bugtracker']},
    keywords=['inverse kinematics', 'kinematics', 'robotics', 'robot arm', 'URDF', 'MJCF', 'ROS 2'],
    classifiers=[
        'Development Status :: 4 - Beta',
        'Intended Audience :: Developers',
        'Intended Audience :: Education',
        'Intended Audience :: Science/Research',
        'Operating System :: POSIX :: Linux',
        'Programming Language :: Cython',
        *(f'Programming Language :: Python :: 3.{minor}' for minor in range(10, 15)),
        'Topic :: Scientific/Engineering',
        'Topic :: Scientific/Engineering :: Mathematics',
        'Typing :: Typed',
    ],
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={'': ['py.typed', '*.pxd', '*.pxi', '*.js', '*.css', '*.html',
                       'thumbnails/*.png']},
    ext_modules=extensions(),
    options={'build_ext': {'parallel': os.cpu_count()}},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        (f'share/{NAME}/config', glob('config/*.*')),
        (f'share/{NAME}/config/dh', glob('config/dh/*')),
        (f'share/{NAME}/config/motions', glob('config/motions/*')),
        (f'share/{NAME}/config/poses', glob('config/poses/*')),
        (f'share/{NAME}/config/sros2', glob('config/sros2/*')),
        (f'share/{NAME}/examples', glob('examples/*.py')),
        (f'share/{NAME}/examples/own_solver', glob('examples/own_solver/*.*')),
        (f'share/{NAME}/launch', glob('launch/*.launch.py')),
        (f'share/{NAME}/urdf', glob('urdf/*')),
    ],
    python_requires='>=3.10',
    install_requires=['setuptools', 'cython', 'numpy', 'pyyaml', 'scipy', 'urdf-parser-py',
                      'xacro'],  # of Cython only what stands in for its types in plain Python
    extras_require={
        'ros': KILTED,
        'kilted': KILTED,
        'jazzy': JAZZY,
        'plot': ['matplotlib'],
        # For collision shapes that are meshes; without coal these count as their convex hulls.
        'collisions': ['coal>=3.0.3', 'fast-simplification>=0.2', 'pycollada', 'trimesh'],
        'motion': ['ruckig'],  # for motion in joint space
        'phone': ['websockets>=13'],  # for the page of ik_teleop
        'maps': ['distributed'],  # for reachability maps on the workers of a Dask cluster
        'mjcf': MUJOCO,  # for robots in MuJoCo's format
        'test': ['cmeel-urdfdom', 'distributed', 'example-robot-data', 'hypothesis', 'lxml',
                 'mkdocs-material', 'mypy', 'pin', 'playwright', 'pytest', 'pytest-xdist>=3.7',
                 'rtb-data', 'ruff',
                 # Without a wheel it would have to be compiled; the tests that need it are skipped.
                 'ruckig; platform_machine != "aarch64"', *MUJOCO],
        'bench': ['EAIK', 'example-robot-data', 'ikpy', 'optik-py', 'pin', 'playwright',
                  'pytracik', 'roboticstoolbox-python', 'rtb-data'],
        # For meshes in .dae files; for meshes with too many triangles; for the page.
        'viewer': ['fast-simplification>=0.2', 'pycollada', 'viser>=1.1'],
        'robots': ['robot_descriptions', 'xacrodoc'],  # some hundred robots, downloaded with git
    },
    zip_safe=False,
    entry_points={
        'console_scripts': [
            'ik_node = ik_node.commands.entry_points:ik_node',
            'demo_goals = ik_node.commands.entry_points:demo_goals',
            'ik_compare = ik_node.commands.entry_points:ik_compare',
            'ik_figures = ik_node.commands.entry_points:ik_figures',
            'ik_inspect = ik_node.commands.entry_points:ik_inspect',
            'ik_play = ik_node.commands.entry_points:ik_play',
            'ik_retarget = ik_node.commands.entry_points:ik_retarget',
            'ik_teleop = ik_node.commands.entry_points:ik_teleop',
            'ik_view = ik_node.commands.entry_points:ik_view',
            'ik_workspace = ik_node.commands.entry_points:ik_workspace',
        ],
    },
)
