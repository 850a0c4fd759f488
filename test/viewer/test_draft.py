"""Fields that are committed: what they show meanwhile."""

from types import SimpleNamespace

from ik_node.support.exceptions import InputError
from ik_node.viewer.draft import Draft
from page_here import until


class Field:
    """A field that keeps all texts it was given."""

    def __init__(self):
        self.texts = []

    def __setattr__(self, name, value):
        if name == 'value':
            self.texts.append(value)
        else:
            super().__setattr__(name, value)

    def on_update(self, _):
        """Be typed into by the test."""


def committed(commit):
    """Return the texts that a field with "1" is given after "2" was typed into it and committed."""
    field = Field()
    draft = Draft(SimpleNamespace(add_form=lambda _: SimpleNamespace(on_submit=lambda _: None),
                                  add_text=lambda *_, **__: field), commit, print)
    draft.add('a', 'a', '1')
    draft._on_typed('a', '2')
    draft.commit()
    assert until(lambda: not draft.worker.busy)
    draft.worker.close()
    return field.texts


def test_what_was_there_before_is_not_shown_once_another_text_is_committed():
    assert committed(lambda _: None) == ['2']


def test_what_was_there_before_is_shown_after_a_refusal():
    def refuse(_):
        raise InputError('no')
    assert committed(refuse) == ['1']
