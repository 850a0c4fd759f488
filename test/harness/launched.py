"""The installed package under upstream's launch; what imports this skips where it is not built."""

import pytest
from ament_index_python import get_package_share_path
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

try:
    SHARE = get_package_share_path('ik_node')
    get_package_share_path('robot_state_publisher')
except LookupError as error:
    pytest.skip(f'{error}: build with colcon and source install/setup.bash first',
                allow_module_level=True)


def included_demo(**arguments):
    """Return the action that starts launch/demo.launch.py with arguments, without RViz."""
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(SHARE / 'launch' / 'demo.launch.py')),
        launch_arguments={'rviz': 'false', **arguments}.items())
