import copy
import pickle
import threading

import numpy as np
import pytest

import robots
from ik_node.kinematics.tree_frames import frames_at


def copies(value):
    return [copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))]


def test_a_chain_makes_its_record_once_and_a_copy_another():
    chain = robots.chain('panda')
    q = np.linspace(-0.5, 0.5, chain.n_joints)
    T, J = chain.forward(q), chain.jacobian(q)
    assert chain.record is chain.record
    for other in copies(chain):
        assert other.record is not chain.record
        assert (other.forward(q) == T).all()
        assert (other.jacobian(q) == J).all()


def test_other_limits_reach_the_record_of_a_chain():
    chain = robots.chain('panda')
    assert chain.record is not chain.without_limits().record


def test_poses_belong_to_the_caller():
    body = robots.tree('baxter').body()
    first = body.forward(np.zeros(body.n_joints))
    kept = {link: T.copy() for link, T in first.items()}
    body.forward(np.full(body.n_joints, 0.2))
    assert all((T == kept[link]).all() for link, T in first.items())


def test_threads_may_share_a_chain_and_a_body():
    chain, body = robots.chain('panda'), robots.tree('panda').body()
    rng = np.random.default_rng(0)
    qs = rng.uniform(-1.0, 1.0, (50, chain.n_joints))
    expected = [(chain.forward(q), body.mass_matrix(np.resize(q, body.n_joints))) for q in qs]
    wrong = []

    def check():
        for _ in range(5):
            for q, (T, M) in zip(qs, expected):
                if not ((chain.forward(q) == T).all()
                        and (body.mass_matrix(np.resize(q, body.n_joints)) == M).all()):
                    wrong.append(q)
    threads = [threading.Thread(target=check) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize('count', [0, 6, 8])
def test_kernels_refuse_another_number_of_joint_values(count):
    chain, body = robots.chain('panda'), robots.tree('ur5').body()
    with pytest.raises(ValueError, match='values'):
        chain.record.pose(np.zeros(count))
    frames = frames_at(body.record, np.zeros(body.n_joints))
    with pytest.raises(ValueError, match='values'):
        frames.update(np.zeros(count if count != 6 else 5))
    with pytest.raises(ValueError, match='no link'):
        frames.jacobian(1000, np.zeros(3))


def test_poses_at_many_configurations_are_those_at_each():
    chain = robots.mimicking()
    q = np.array([robots.random_q(chain, np.random.default_rng(seed)) for seed in range(20)])
    T = chain.record.poses(q)
    assert (T == [chain.forward(one) for one in q]).all()
