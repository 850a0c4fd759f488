"""Random sequences of what users do: the page says of the node what the node says of itself."""

import pytest

from soak_sequences import run_sequences

SEQUENCES, SEED = 6, 34


@pytest.mark.slow
def test_after_random_sequences_the_page_says_what_the_node_says():
    found, _ = run_sequences(SEQUENCES, SEED)
    assert found == []
