import math

import numpy as np
import pytest

import robots
from ik_node import InputError, make_solver
from ik_node.collision import Box, Obstacle
from ik_node.spatial import inverse, screw
from ik_node.workspace import base_poses, reachability_map


def at(x, y, z=0.0, yaw=0.0):
    T = screw(yaw, 0.0, 2)
    T[:3, 3] = x, y, z
    return T


def test_the_base_of_a_planar_arm_is_found_where_all_goals_are_within_reach():
    # Two goals 3 m apart, for an arm of 1.6 m: the base stands near the middle between them.
    m = reachability_map(robots.planar(1.0, 0.6), 0.05)
    best, *others = m.base_poses([at(-1.5, 0.0), at(1.5, 0.0)], (-2.0, 2.0, -2.0, 2.0), step=0.1)
    assert best.met.all()
    assert abs(best.T_world_base[0, 3]) < 0.11
    assert math.hypot(1.5, best.T_world_base[1, 3]) < 1.62
    assert all(best.met.sum() >= other.met.sum() for other in others)
    assert len(others) <= 9


def test_the_base_that_goals_were_made_from_is_found_and_confirmed_by_solves():
    chain, rng = robots.chain('ur5'), np.random.default_rng(4)
    m = reachability_map(chain, 0.1, 18, 18)
    T_world_base = at(0.4, -0.3, yaw=0.5)
    lower, upper = np.maximum(chain.lower, -1.5), np.minimum(chain.upper, 1.5)
    goals = np.array([T_world_base @ chain.forward(rng.uniform(lower, upper)) for _ in range(10)])
    solver = make_solver('auto', chain)
    found = m.base_poses(goals, (-1.0, 1.0, -1.0, 1.0), step=0.1, yaw_step=math.pi / 6, limit=3,
                         solver=solver)
    assert len(found) == 3
    assert found[0].met.sum() >= 9
    for placement in found:
        T = inverse(placement.T_world_base) @ goals
        assert [bool(solver.solve(one).success) for one in T[placement.met]] == (
            [True] * int(placement.met.sum()))
    assert [p.met.sum() for p in found] == sorted((p.met.sum() for p in found), reverse=True)


def test_two_arms_on_one_base_share_its_pose():
    # Mounts 2 m apart; each goal is 1 m beyond a mount when the base is in the origin.
    m = reachability_map(robots.planar(1.0, 0.6), 0.05)
    arms = [(m, [at(-2.5, 0.0)], at(-1.0, 0.0)), (m, [at(2.5, 0.0)], at(1.0, 0.0))]
    best = base_poses(arms, (-1.0, 1.0, -1.0, 1.0), step=0.1)[0]
    assert best.met.tolist() == [True, True]
    T = best.T_world_base
    for goal, mount in ((at(-2.5, 0.0), at(-1.0, 0.0)), (at(2.5, 0.0), at(1.0, 0.0))):
        assert np.linalg.norm((inverse(T @ mount) @ goal)[:2, 3]) < 1.62


def test_a_base_whose_first_joint_turns_freely_keeps_its_yaw():
    m = reachability_map(robots.planar(1.0, 0.6), 0.2)
    for placement in m.base_poses([at(0.8, 0.3), at(0.3, 0.9)], (-1.0, 1.0, -1.0, 1.0), 0.3):
        assert placement.T_world_base[:2, :2].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_goals_out_of_reach_of_every_base_give_no_results():
    m = reachability_map(robots.planar(1.0, 0.6), 0.2)
    assert m.base_poses([at(9.0, 0.0)], (-1.0, 1.0, -1.0, 1.0)) == []


@pytest.mark.parametrize(('arguments', 'words'), [
    (([at(math.nan, 0.0)], (0, 1, 0, 1)), 'finite'),
    (([at(1.0, 0.0)], (1, 0, 0, 1)), 'lower end is above'),
    (([at(1.0, 0.0)], (0, 1)), 'region must be'),
    (([], (0, 1, 0, 1)), 'goals must have the shape'),
    (([at(1.0, 0.0)], (0, 1, 0, 1), 0.0), 'above 0'),
    (([at(1.0, 0.0)], (0, 1, 0, 1), 1e-5), 'larger steps')])
def test_invalid_arguments_are_refused(arguments, words):
    m = reachability_map(robots.planar(1.0, 0.6), 0.2)
    with pytest.raises(InputError, match=words):
        m.base_poses(*arguments)


def test_a_solver_of_another_arm_is_refused():
    m = reachability_map(robots.planar(1.0, 0.6), 0.2)
    solver = make_solver('dls', robots.planar(1.0, 0.5))
    with pytest.raises(InputError, match='of another robot'):
        m.base_poses([at(1.0, 0.0)], (0, 1, 0, 1), solver=solver)


def test_one_of_the_alternatives_of_a_goal_is_enough():
    chain = robots.planar(1.0, 0.6)
    m = reachability_map(chain, 0.05)
    goals = [[at(9.0, 0.0), at(1.0, 0.0)], [at(0.0, 1.0), at(0.0, -9.0)]]
    best = m.base_poses(goals, (0.0, 0.0, 0.0, 0.0), solver=make_solver('auto', chain))[0]
    assert best.met.tolist() == [True, True]


def test_a_solver_decides_about_goals_that_the_map_misses():
    chain = robots.planar(1.0, 0.6)
    m, solver = reachability_map(chain, 0.2), make_solver('auto', chain)
    goals = [at(1.0, 0.0), at(0.0, 1.5999), at(0.4001, 0.0), at(0.0, 1.7)]
    m.depth[:] = np.where(m.depth < 0.9, -1.0, m.depth)  # a map that has lost its border
    assert m.reachable(goals).tolist() == [True, False, False, False]
    best = m.base_poses(goals, (0.0, 0.0, 0.0, 0.0), solver=solver)[0]
    assert best.met.tolist() == [True, True, True, False]


def test_where_the_first_joint_turns_freely_results_do_not_differ_by_yaw_alone():
    m = reachability_map(robots.planar(1.0, 0.6), 0.05)
    found = m.base_poses([at(1.0, 0.0)], (-1.0, 1.0, -1.0, 1.0), step=0.25)
    places = [tuple(placement.T_world_base[:2, 3].round(3)) for placement in found]
    assert len(set(places)) == len(places) > 3


def test_obstacles_keep_their_place_in_the_world_when_the_base_moves():
    chain = robots.chain('arm_6r')
    m = reachability_map(chain, 0.2, 8, 8)
    solver = make_solver('auto', chain, avoid_collisions=True)
    rng = np.random.default_rng(0)
    poses = (chain.forward(robots.random_q(chain, rng)) for _ in range(100))
    goals = [next(T for T in poses if m.reachable(T, True) and solver.solve(T).success)]
    there, region = goals[0][:3, 3], (0.0, 0.0, 0.0, 0.0)
    for away, met in ((0.0, False), (9.0, True)):
        box = Obstacle(Box((0.1, 0.1, 0.1)), at(*(there + [0.0, 0.0, away])))
        assert bool(m.base_poses(goals, region, yaw_step=7.0, solver=solver,
                                 obstacles=[box])) == met
