import random_calls


def test_hostile_arguments_raise_nothing_but_ik_errors_anywhere():
    counts, refused, failures = random_calls.run(800, seed=12)
    assert failures == []
    assert refused > 100
    # What the introspection has to find, so that the test cannot become empty.
    assert {'make_solver', 'KinematicTree.chain', 'KinematicTree.from_dh', 'Chain.forward',
            'Chain.to_dh', 'KinematicTree.body', 'Body.jacobian', 'Body.mass_matrix', 'Goal',
            'Goal.from_pose', 'Solver.solve', 'Solver.solve_all',
            'Solver.solve_batch', 'Solver.closest', 'Solver.redundancy_of', 'Solver.step',
            'make_body_solver', 'BodySolver.solve', 'BodySolver.velocity', 'Pose', 'CenterOfMass',
            'Spring.residual', 'CustomTask.jacobian', 'pose_error', 'nearest_turn',
            'motion_limits', 'between_poses', 'task_rank', 'self_motion',
            'redundancy_degree', 'Solver.solve_path', 'Solver.swivel_intervals',
            'Solver.redundancy_towards', 'Solver.solve_all_batch'} <= set(counts)


def test_a_foreign_error_is_reported():
    calls = random_calls.Calls(0)
    calls.by_name = {'broken': [lambda q: q.nowhere]}
    calls.names = ['broken']
    name, _, error = calls.one()
    assert name == 'broken'
    assert isinstance(error, AttributeError)
