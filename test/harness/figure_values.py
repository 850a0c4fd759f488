"""The values of all parameters of a node with the humanoid, and the robot built from them."""

import robots
from ik_node.control.building import NOTHING, Built, Source, build_robot, build_tree
from ik_node.control.options import (
    SIDE,
    ArmOptions,
    CollisionOptions,
    ModelOptions,
    MotionOptions,
    NodeOptions,
)
from ik_node.control.task_options import TaskOptions
from ik_node.solvers.registry import (
    body_solver_class,
    body_solver_names,
    solver_class,
    solver_names,
)

HUMANOID = robots.OWN / 'humanoid.urdf'


def values(**changed):
    """Return the values of all parameters of the humanoid; __ stands for a dot."""
    every = {**ModelOptions.defaults(), **NodeOptions.defaults(), **ArmOptions.defaults(),
             'model_path': str(HUMANOID), 'solver': 'hierarchy',
             **{f'{SIDE}.{name}': value for name, value in MotionOptions.defaults().items()}}
    for names, class_of in ((solver_names(), solver_class),
                            (body_solver_names(), body_solver_class)):
        for solver in names:
            every.update({f'{solver}.{name}': value
                          for options in (class_of(solver).Options, CollisionOptions)
                          for name, value in options.defaults().items()})
    for task in changed.get('tasks') or ():
        every.update({f'{task}.{name}': value for name, value in TaskOptions.defaults().items()})
    return {**every, **{name.replace('__', '.'): value for name, value in changed.items()}}


def built(present=NOTHING, arms=('',), **changed):
    source = Source(values(**changed), None)
    return Built(source, build_robot(source, build_tree(source, present), arms, present))
