import ik_node


def test_it_is_what_the_readme_says_and_nothing_else():
    assert sorted(ik_node.__all__) == [
        'Chain', 'Goal', 'IkError', 'KinematicTree', 'ModelError', 'Result', 'StopReason',
        'make_solver', 'solver_names']
    for name in ik_node.__all__:
        assert getattr(ik_node, name).__doc__


def test_a_model_error_is_an_ik_error():
    assert issubclass(ik_node.ModelError, ik_node.IkError)


def test_the_solvers_have_their_names():
    assert {'analytic', 'auto', 'ccd', 'dls', 'pseudoinverse', 'transpose'} <= set(
        ik_node.solver_names())
    assert list(ik_node.solver_names()) == sorted(ik_node.solver_names())


def test_the_reasons_to_stop_have_their_names_and_say_them_in_words():
    assert [reason.name for reason in ik_node.StopReason] == [
        'CONVERGED', 'UNREACHABLE', 'LIMITS', 'SINGULAR', 'STALLED', 'ITERATIONS', 'TIMEOUT']
    assert all(' ' in reason.value for reason in ik_node.StopReason)
