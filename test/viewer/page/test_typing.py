import numpy as np
import pytest

import robots
from harness.browser import field, first_picture, open_folder, open_tab, page_of, until, view_on
from harness.fake_node import FakeNode
from harness.page_here import panel_of

VALUES, SEED = 200, 34
SIZE = {'width': 640, 'height': 600}  # keys are handled between two pictures


def keys(rng, text):
    """Return the keys of a text, with corrections now and then."""
    made = []
    for letter in text:
        if rng.random() < 0.15:
            made += [str(rng.integers(10)), 'Backspace']
        made.append(letter)
    return made


def random_text(rng, low, high):
    value = rng.uniform(low, high)
    text = f'{value:.{rng.integers(0, 4)}f}'
    return text.replace('0.', '.', 1) if rng.random() < 0.1 else text


@pytest.mark.slow
def test_random_values_arrive_as_typed_and_nothing_is_sent_before_they_are_committed():
    rng = np.random.default_rng(SEED)
    node = FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'))
    with (view_on(node) as (server, view, robot_view),
          page_of(server.get_port(), size=SIZE) as (page, said)):
        first_picture(page, view)
        open_folder(page, 'Joints', page.get_by_text('joint_6, °', exact=True))
        tab = 'Move'
        goal = [('x, m', -0.9, 0.9), ('y, m', -0.9, 0.9), ('z, m', 0.0, 1.2),
                ('roll, °', -180.0, 180.0), ('pitch, °', -89.0, 89.0), ('yaw, °', -180.0, 180.0)]
        chain = robot_view.chain
        joints = [(f'{name}, °', max(low, -80.0), min(high, 80.0)) for name, low, high in zip(
            chain.joint_names, np.degrees(chain.lower), np.degrees(chain.upper))]
        options = [('position tolerance', 1e-4, 0.1)]
        for k in sorted(range(VALUES), key=lambda k: k % 3 == 2):
            if k % 3 == 2 and tab == 'Move':
                tab = 'Solver'
                open_tab(page, tab)
                open_folder(page, 'Options', page.locator('form').get_by_text(
                    'position tolerance', exact=True))
            label, low, high = (goal, joints, options)[k % 3][
                rng.integers(len((goal, joints, options)[k % 3]))]
            text = random_text(rng, low, high) if k % 3 < 2 else f'{rng.uniform(low, high):.5f}'
            field = page.get_by_text(label, exact=True).last.locator(
                'xpath=ancestor::div[contains(@class, "Flex-root")][1]//input').last
            field.click()
            page.keyboard.press('Control+a')
            # The last goal is solved, and solved again after a change of its tolerance.
            assert until(lambda: view.page._settings == [view.page.setting(robot_view)] and not (
                view.page.handles.named('').drags.busy), 60.0, page)
            before, q = len(node.sent), node.robot.joint_values()
            pause = rng.integers(len(text))
            for n, key in enumerate(keys(rng, text)):
                page.keyboard.press(key)
                if n == pause:
                    page.wait_for_timeout(float(rng.choice([0, 30, 300, 2000],
                                                           p=[0.4, 0.3, 0.2, 0.1])))
            # A value that was on its way is there for a frame.
            assert until(lambda one=field, to=text: one.input_value() == to, 10.0, page), (
                label, text, field.input_value())
            assert node.sent[before:] == []
            assert node.robot.joint_values() == q
            page.keyboard.press('Enter')
            assert until(lambda n=before: len(node.sent) > n, 10.0, page), (label, text)
            kind, *sent = node.sent[before]  # a goal may be solved again then
            if kind == 'goal':
                T = sent[1]
                found = ([*T[:3, 3], *np.degrees([
                    np.arctan2(T[2, 1], T[2, 2]), np.arcsin(-T[2, 0]),
                    np.arctan2(T[1, 0], T[0, 0])])])[[one[0] for one in goal].index(label)]
            elif kind == 'joints':
                assert list(sent[1]) == [label.split(',')[0]]
                found = np.degrees(sent[1][label.split(',')[0]])
            else:
                found = sent[0]['dls.position_tolerance']
            assert found == pytest.approx(float(text), abs=1e-9), (label, text)
        assert [text for kind, text in said if kind == 'error'] == []


@pytest.mark.slow
def test_a_number_beside_a_slider_is_typed_with_its_unit_and_a_wrong_one_is_refused():
    node = FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'))
    with (view_on(node) as (server, view, robot_view),
          page_of(server.get_port(), size=SIZE) as (page, _)):
        first_picture(page, view)
        label = page.get_by_text('joint_2, °', exact=True)
        open_folder(page, 'Joints', label)
        number = label.locator('xpath=ancestor::div[contains(@class, "Flex-root")][1]//input').last
        for text, degrees, reason in (
                ('0.5 rad', 28.648, ''), ('900', 28.648, 'joint_2 must be from -110 to 110 °'),
                ('one', 28.648, 'joint_2 must be a number'), ('-7,5', -7.5, '')):
            number.click()
            page.keyboard.press('Control+a')
            page.keyboard.type(text)
            page.keyboard.press('Enter')
            assert until(lambda to=degrees: abs(np.degrees(
                robot_view.values['joint_2']) - to) < 2e-3, 60.0, page), text
            assert reason in number.evaluate('one => one.validationMessage')
        page.keyboard.type('9')
        page.keyboard.press('Escape')
        assert number.input_value() == '-7.5'


@pytest.mark.slow
def test_escape_closes_a_list_in_a_form_and_what_was_chosen_holds():
    with (view_on(FakeNode(model_path=str(robots.OWN / 'torso.urdf'), tip_link='right_tool0')) as (
            server, view, _), page_of(server.get_port(), size=SIZE) as (page, _)):
        first_picture(page, view)
        open_tab(page, 'Tasks')
        open_folder(page, 'Add a task', page.get_by_role('button', name='Add the task'))
        tasks = panel_of(view, 'Tasks')
        for label, widget in ('type', tasks._type), ('link', tasks._fields['link']):
            before, shown = widget.value, field(page, label)
            shown.click()
            page.get_by_role('option').first.wait_for()
            page.keyboard.type('left')  # which the list is searched for
            page.keyboard.press('Escape')
            page.get_by_role('option').first.wait_for(state='hidden')
            field(page, 'name').fill(f'after_{label}')  # which comes after what the list sends
            assert until(lambda: tasks._name.value.startswith('after_'), 60.0, page)
            tasks._name.value = 'one'
            assert widget.value == before
            assert shown.input_value() == before
