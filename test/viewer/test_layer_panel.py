import pytest

from harness.page_here import page_with


@pytest.fixture
def page():
    with page_with('arm_6r') as made:
        made.drag(made.handle().T)
        yield made


def layers(page):
    """Return the namespaces of the markers that are drawn."""
    prefix = '/ik_node/markers/'
    return {name.removeprefix(prefix).rsplit('_', 1)[0] for name in page.drawn(prefix)}


def test_few_layers_are_shown_at_first_and_others_when_they_are_asked_for(page):
    assert 'goal' not in layers(page)  # the handle is there
    assert not {'manipulability', 'limits'} & layers(page)
    page.choose('Layers', 'ellipsoid', value=True)
    page.choose('Layers', 'limits', value=True)
    assert {'manipulability', 'limits'} <= layers(page)
    page.choose('Layers', 'limits', value=False)
    assert 'limits' not in layers(page)
    assert not any(hasattr(node, 'text') for node in page.drawn('/ik_node/markers/').values())
    assert not page.shows('Layers', 'branches')  # the node has listed none


def test_meshes_are_fine_where_that_is_asked_for(page, monkeypatch):
    fine = []
    monkeypatch.setattr(page.robot_view, 'refine', fine.append)
    page.settle()
    assert set(fine) == {False}
    page.choose('Layers', 'fine meshes', value=True)
    assert fine[-1] is True
