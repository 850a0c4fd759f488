"""Builds ik_node, with colcon as an ament_python package or with pip."""

from glob import glob

from setuptools import find_packages, setup

NAME = 'ik_node'

# ROS 2 as wheels from PyPI, for machines without a ROS install.
MESSAGES = ('diagnostic', 'geometry', 'nav', 'sensor', 'std', 'trajectory', 'visualization')


def wheels(distro, rclpy):
    """Return what a ROS distribution is made of, as far as the node needs it."""
    return [f'ros-rclpy[fastrtps]{rclpy}', *(f'ros-{distro}-{name}-msgs' for name in MESSAGES),
            f'ros-{distro}-std-srvs']


KILTED = wheels('kilted', '>=9,<10')
JAZZY = wheels('jazzy', '>=7,<8')

setup(
    name=NAME,
    version='0.2.0',
    description='Inverse kinematics as a ROS 2 node, by every method of the literature',
    license='Apache-2.0',
    maintainer='ik_node maintainers',
    maintainer_email='ik-node@example.com',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={NAME: ['py.typed']},
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
    install_requires=['setuptools', 'numba>=0.57', 'numpy', 'pyyaml', 'scipy', 'urdf-parser-py',
                      'xacro'],
    extras_require={
        'ros': KILTED,
        'kilted': KILTED,
        'jazzy': JAZZY,
        'plot': ['matplotlib'],
        'motion': ['ruckig'],  # for motion in joint space
        'test': ['cmeel-urdfdom', 'example-robot-data', 'hypothesis', 'lxml', 'mkdocs-material',
                 'mypy', 'pin', 'playwright', 'pytest', 'pytest-xdist>=3.7', 'rtb-data', 'ruff',
                 # Without a wheel it would have to be compiled; the tests that need it are skipped.
                 'ruckig; platform_machine != "aarch64"'],
        'bench': ['EAIK', 'example-robot-data', 'ikpy', 'optik-py', 'pin', 'playwright',
                  'pytracik', 'roboticstoolbox-python', 'rtb-data'],
        # For meshes in .dae files; for meshes with too many triangles; for the page.
        'viewer': ['fast-simplification>=0.2', 'pycollada', 'viser>=1.0'],
        'robots': ['robot_descriptions', 'xacrodoc'],  # some hundred robots, downloaded with git
    },
    zip_safe=True,
    entry_points={
        'console_scripts': [
            'ik_node = ik_node.commands:ik_node',
            'demo_goals = ik_node.commands:demo_goals',
            'ik_compare = ik_node.commands:ik_compare',
            'ik_compile = ik_node.commands:ik_compile',
            'ik_figures = ik_node.commands:ik_figures',
            'ik_inspect = ik_node.commands:ik_inspect',
            'ik_play = ik_node.commands:ik_play',
            'ik_retarget = ik_node.commands:ik_retarget',
            'ik_view = ik_node.commands:ik_view',
            'ik_workspace = ik_node.commands:ik_workspace',
        ],
    },
)
