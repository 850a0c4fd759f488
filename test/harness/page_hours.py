"""The first hour of a student, an engineer and an animator on the page, by mouse and keyboard."""

import contextlib
from pathlib import Path

import numpy as np

import robots
from harness.browser import (
    CLOSE_NOTIFICATIONS,
    arrow_length,
    choose,
    drag_handle,
    field,
    first_picture,
    frame,
    open_folder,
    open_tab,
    page_of,
    pixel,
    until,
    view_of,
)
from harness.gallery_switches import page_errors
from harness.page_here import panel_of

PATIENCE = 30.0  # s
NOBODY = 'no goal yet'


class Person:
    """Somebody at the page of a node, whose steps are counted."""

    def __init__(self, steps, node, server, view, robot_view, page, said):
        self.steps, self.node, self.server, self.view = steps, node, server, view
        self.robot_view, self.page, self.said = robot_view, page, said

    def step(self, what, does=lambda: None, sees=lambda: True):
        """Do something, and wait until it is seen."""
        try:
            does()
            seen = until(sees, PATIENCE, self.page)
        except Exception as error:  # the next steps are still made
            what, seen = f'{what} ({str(error).splitlines()[0]})', False
        self.steps.see(what, seen)

    def state(self):
        return self.page.inner_text('#ik-status .ik-state b').removeprefix('● ')

    def press(self, name):
        self.page.evaluate(CLOSE_NOTIFICATIONS)
        self.page.get_by_role('button', name=name, exact=True).filter(visible=True).first.click()

    def type(self, label, text):
        """Type into a field, and press Enter."""
        field(self.page, label).click()
        self.page.keyboard.press('Control+a')
        self.page.keyboard.type(text)
        self.page.keyboard.press('Enter')

    def tick(self, label):
        self.page.get_by_label(label, exact=True).filter(visible=True).first.click()

    def open(self, folder, inside):
        """Open a folder that has a text, which no other one has."""
        open_folder(self.page, folder, self.page.get_by_text(inside, exact=True))

    def type_joint(self, label, text):
        """Type a joint value beside its slider."""
        self.page.evaluate(CLOSE_NOTIFICATIONS)
        open_folder(self.page, 'Joints', self.page.get_by_text(label, exact=True))
        self.number(label).click()
        self.page.keyboard.press('Control+a')
        self.page.keyboard.type(text)
        self.page.keyboard.press('Enter')

    def number(self, label):
        """Return the number beside a slider."""
        return self.page.get_by_text(label, exact=True).locator(
            'xpath=ancestor::div[contains(@class, "Flex-root")][1]//input').last

    def tab(self, name):
        open_tab(self.page, name)

    def says(self, *words):
        """Return a function that tells whether all of these are on the page."""
        return lambda: all(word in self.page.inner_text('body') for word in words)

    def drag(self, share, axis=2, task=''):
        """Drag an arrow of a handle by a share of the reach, with the mouse."""
        handles, reach = self.view.page.handles, self.robot_view.reach

        def ends():
            client, T = next(iter(self.server.get_clients().values())), handles.named(task).T
            far = arrow_length(self.page, self.view, task)
            return [pixel(self.page, client, T[:3, 3] + x * T[:3, axis])
                    for x in (far, far + share * reach)]
        drag_handle(self.page, self.view, ends, task)

    def q(self):
        """Return the joint values that are drawn."""
        return np.array(list(self.robot_view.values.values()))

    def moves(self, does):
        """Do something; return a function that tells whether the robot has moved."""
        before = self.q()
        does()
        return lambda: np.abs(self.q() - before).max() > 1e-4

    def is_named(self, robot):
        """Return a function that tells whether a robot is drawn, with its handle."""
        return lambda: (self.robot_view.tree is not None and self.robot_view.tree.name == robot
                        and self.robot_view.is_placed)

    def ends(self):
        """Look at the console."""
        errors = page_errors(self.said)
        self.steps.see(f'the console has no error {errors or ""}', not errors)


@contextlib.contextmanager
def at_the_page(steps, node):
    """Open the page of a node. Yields a Person."""
    with (view_of(node._domain.id) as (server, view, (robot_view,)),
          page_of(server.get_port()) as (page, said)):
        person = Person(steps, node, server, view, robot_view, page, said)
        person.step('the page shows the robot and a handle', sees=lambda: (
            view.page.handle_pose is not None and server.get_clients()))
        first_picture(page, view)
        page.set_default_timeout(1e3 * PATIENCE)
        yield person
        person.ends()


def student(me):
    """Look at how solvers differ, by the book."""
    page, view = me.page, me.robot_view
    me.step('the tab of the browser is called ik_node', sees=lambda: page.title() == 'ik_node')
    me.step('there is no goal yet', sees=lambda: me.state() == NOBODY)
    me.step('the handle is dragged, and the goal is met', lambda: me.drag(-0.15, 0),
            lambda: me.state() == 'reached')
    me.step('errors, steps and time have units', sees=me.says(' mm', '°', ' step', 's'))
    me.step('far away the goal is not met', lambda: me.type('x, m', '90'),
            lambda: me.state().startswith('as near as possible: '))
    me.step('Undo brings the goal back', lambda: me.press('Undo'), lambda: me.state() == 'reached')
    me.step('Redo does it again', lambda: me.press('Redo'),
            lambda: me.state().startswith('as near as possible: '))
    me.step('Fit view shows the goal', lambda: me.press('Fit view'))
    me.step('the handle comes back to the tip', lambda: me.press('Handle to tip'), lambda: (
        np.allclose(me.view.page.handle_pose, view.pose(view.chain.tip_link), atol=1e-3)))
    me.step('Home brings the arm back', lambda: me.press('Home'), lambda: me.state() == NOBODY)
    me.tab('Solver')
    me.step('another solver is chosen', lambda: choose(page, 'solver', 'transpose'),
            lambda: me.node.get('solver') == 'transpose')
    me.tab('Move')
    me.step('it solves the same goal', lambda: me.drag(-0.15, 0),
            lambda: me.state() == 'reached' and view.reports[-1].values['solver'] == 'transpose')
    me.tab('Solver')
    me.step('a goal is solved again by ccd', lambda: choose(page, 'solver', 'ccd'),
            lambda: view.reports[-1].values['solver'] == 'ccd' and me.state() == 'reached')
    me.step('and by dls', lambda: choose(page, 'solver', 'dls'),
            lambda: view.reports[-1].values['solver'] == 'dls' and me.state() == 'reached')
    me.step('options are there', lambda: me.open('Options', 'position tolerance'))
    me.step('a tolerance is typed', lambda: me.type('position tolerance', '0.001'),
            lambda: me.node.get('dls.position_tolerance') == 1e-3)
    me.step('a wrong one is refused in words', lambda: me.type('position tolerance', '-1'),
            me.says('position_tolerance', 'must'))
    me.step('all defaults come back', lambda: me.press('All defaults'),
            lambda: me.node.get('dls.position_tolerance') == 1e-6)
    me.tab('Learn')
    me.step('a figure of the book is shown, and the robot hidden',
            lambda: choose(page, 'lesson', next(iter(panel_of(
                me.view, 'Lessons')._choice.options[1:]))),
            lambda: not view.frame.visible and 'Figure 5.20' in page.inner_text('body'))
    lesson = panel_of(me.view, 'Lessons')
    me.step('it plays', lambda: me.press('Play'), lambda: lesson._slider.value > 2)
    me.step('and pauses', lambda: me.press('Pause'), me.says('Play'))
    me.step('there are three charts', sees=lambda: page.locator('.uplot').filter(
        visible=True).count() == 3)
    me.step('the robot comes back', lambda: me.press('End the lesson'), lambda: view.frame.visible)
    me.step('steps of four methods are compared', lambda: (
        me.open('Steps', 'show steps'), me.tick('show steps')), me.says('then off by', 'ccd'))
    me.step('one of them moves the arm', lambda: None, me.moves(lambda: (
        view.go_to(dict.fromkeys(view.chain.joint_names, 0.2)), me.press('dls'))))
    me.tab('Robot')
    me.step('another robot is chosen', lambda: choose(page, 'robot', 'arm_7r'),
            me.is_named('arm_7r'))
    me.tab('Learn')
    me.step('its self-motion is shown', lambda: (
        me.open('Null space', 'show the self-motion'), me.tick('show the self-motion')),
        me.says('of joint motion'))


def engineer(me):
    """Try an arm of one's own, its branches, a path and obstacles."""
    page, view = me.page, me.robot_view
    me.tab('Robot')
    text = (robots.OWN / 'arm_6r.urdf').read_text().replace('"arm_6r"', '"mine"', 1)
    me.step('a file is opened', lambda: page.locator('input[type=file]').first.set_input_files(
        {'name': 'mine.urdf', 'mimeType': 'text/xml', 'buffer': text.encode()}),
        me.is_named('mine'))
    me.step('what is no robot is refused in words', lambda: page.locator(
        'input[type=file]').first.set_input_files(
            {'name': 'mine.stl', 'mimeType': 'text/plain', 'buffer': b'solid'}),
        me.says('is no robot'))
    me.step('another tip is chosen', lambda: choose(page, 'tip', 'link_5'),
            lambda: view.chain is not None and view.chain.tip_link == 'link_5')
    me.step('and the first again', lambda: choose(page, 'tip', 'automatic'),
            lambda: view.chain is not None and view.chain.tip_link != 'link_5')
    me.tab('Move')
    for label, number in (('x, m', '0.35'), ('y, m', '-200 mm'), ('z, m', '60 cm'),
                          ('yaw, °', '0.5 rad')):
        count = view.count
        me.step(f'a goal is typed: {label} {number}', lambda one=label, to=number: me.type(one, to),
                lambda at=count: view.count > at and me.state() == 'reached')
    me.step('what is no number is refused in words', lambda: me.type('x, m', 'abc'),
            me.says('x must be a number'))
    me.step('Escape takes back what is typed', lambda: (
        field(page, 'x, m').click(), page.keyboard.type('9'), page.keyboard.press('Escape')),
        lambda: field(page, 'x, m').input_value() == '0.3500')
    me.step('the command has the topic and the goal', sees=lambda: all(
        word in page.inner_text('.ik-command code') for word in (
            ' /goal_pose ', 'x: 0.3500, y: -0.2000, z: 0.6000')))
    me.step('joints are shown', lambda: me.open('Joints', 'joint_1, °'))
    me.step('a slider moves the arm', lambda: None, me.moves(lambda: (
        page.get_by_role('slider').first.focus(), page.keyboard.press('ArrowRight'),
        page.keyboard.press('ArrowRight'))))
    me.step('a joint value is typed', lambda: me.type_joint('joint_2, °', '-12.5'),
        lambda: abs(np.degrees(view.values['joint_2']) + 12.5) < 1e-6)
    me.step('one beyond its limit is refused in words', lambda: me.type_joint('joint_2, °', '900'),
            lambda: 'joint_2 must be from' in me.number('joint_2, °').evaluate(
                'one => one.validationMessage'))
    me.step('the arm goes home', lambda: me.press('Home'), lambda: me.state() == NOBODY)
    me.step('a goal for branches', lambda: me.drag(-0.1, 1), lambda: me.state() == 'reached')
    me.tab('Solver')
    me.step('its branches are listed', lambda: me.press('List them'), me.says('σ_min'))
    me.step('the arm goes to the second', lambda: me.press('2'),
            lambda: me.state().startswith('reached: branch '))
    me.tab('Move')
    me.step('a path is made', lambda: me.open('Path', 'Set a waypoint'))
    for share in (-0.08, 0.1):
        me.step('a waypoint is set', lambda by=share: (me.drag(by), me.press('Set a waypoint')),
                lambda: me.view.page.waypoints)
    me.step('the path is followed', lambda: me.press('Follow the path'),
            lambda: me.node.get('motion') == 'joint' and me.state() == 'path: reached')
    me.tab('Scene')
    obstacles = panel_of(me.view, 'Obstacles')
    me.step('a box is made', lambda: me.press('box'), lambda: len(obstacles.obstacles) == 1)
    me.step('its size is typed', lambda: me.type('size x, m', '250 mm'),
            lambda: obstacles.obstacles[1].sizes[0] == 0.25)
    me.step('collisions are avoided', lambda: me.tick('avoid collisions'),
            lambda: me.node.get('dls.avoid_collisions'))
    me.step('it is deleted', lambda: me.press('this one'), lambda: not obstacles.obstacles)
    me.step('Stop stops', lambda: me.press('Stop'), lambda: me.state() == 'stopped')
    me.step('and Continue goes on', lambda: me.press('Continue'), lambda: me.state() == NOBODY)
    me.step('a node that has ended is reported', me.node.process.kill,
            lambda: me.state() == 'the node does not respond')
    me.step('and one that is back', me.node.restart, lambda: me.state() == NOBODY)


def animator(me):
    """Pose a figure by tasks, and save what was made; return the film."""
    page, view = me.page, me.robot_view
    me.tab('Robot')
    me.step('a figure is chosen', lambda: choose(page, 'robot', 'humanoid'),
            me.is_named('humanoid'))
    me.step('it stands in the picture', sees=lambda: me.view.page.handle_pose is not None)
    me.tab('Tasks')

    def add(name, kind, link):
        with contextlib.suppress(AssertionError):
            me.open('Add a task', 'Add the task')
        me.type('name', name)  # with Enter, as in other fields
        choose(page, 'type', kind)
        choose(page, 'link', link)
        me.press('Add the task')
    for name, kind, link in (('left', 'pose', 'left_palm'), ('right', 'position', 'right_palm'),
                             ('foot', 'pose', 'left_sole')):
        me.step(f'a task is made: {name}', lambda *one, of=(name, kind, link): add(*of),
                lambda one=name: one in view.tasks and me.view.page.handles.named(one) is not None)
    me.step('the solver is one of the body', sees=lambda: me.node.get('solver') == 'least_squares')
    me.step('its name is beside its handle', sees=lambda: any(
        'tasks/left' in name for name in me.server.scene._handle_from_node_name))
    me.step('a hand is dragged', lambda: me.drag(0.12, 0, 'left'),
            lambda: me.state() == 'left: reached')
    me.step('the other one, too', lambda: me.drag(0.12, 2, 'right'),
            lambda: me.state() == 'right: reached')
    palm = view.pose('right_palm')[:3, 3]
    me.step('Undo takes the hand back', lambda: None, me.moves(lambda: me.press('Undo')))
    me.step('Redo moves it again', lambda: me.press('Redo'),
            lambda: np.allclose(view.pose('right_palm')[:3, 3], palm, atol=1e-4))
    choose(page, 'task', 'right')
    me.step('a weight is typed', lambda: me.type('weight', '0.5'),
            lambda: me.node.get('right.weight') == 0.5)
    me.step('a priority', lambda: me.type('priority', '2'),
            lambda: me.node.get('right.priority') == 2)
    me.step('a wrong one is refused in words', lambda: me.type('priority', 'first'),
            me.says('priority must be a number'))
    me.step('a task is deleted', lambda: me.press('Delete the task'),
            lambda: 'right' not in view.tasks)
    me.step('Undo brings it back', lambda: me.press('Undo'), lambda: 'right' in view.tasks)
    me.tab('Solver')
    me.step('masses move the figure', lambda: choose(page, 'solver', 'lagrange'),
            lambda: me.node.get('solver') == 'lagrange')
    me.step('and tasks in order', lambda: choose(page, 'solver', 'hierarchy'),
            lambda: me.node.get('solver') == 'hierarchy')
    me.tab('Move')
    me.step('a joint is typed', lambda: (
        me.type_joint('left_elbow, °', '40')),
        lambda: abs(np.degrees(view.values['left_elbow']) - 40.0) < 1e-3)
    me.step('the demo plays', lambda: None, me.moves(lambda: (
        me.open('Demo', 's per round'), me.press('Play the demo'))))
    me.step('and stops', lambda: me.press('Stop the demo'), me.says('Play the demo'))
    me.tab('Scene')
    kept = []

    def save(button, patience=60000):
        with page.expect_download(timeout=patience) as download:
            me.press(button)
        kept.append(Path(download.value.path()).read_bytes())
    me.step('the scene is saved', lambda: save('Save the scene'), lambda: b'"left"' in kept[-1])
    values = me.q()
    me.step('a picture is saved', lambda: save('Save a picture'),
            lambda: kept[-1].startswith(b'\x89PNG'))
    me.step('a film is begun', lambda: me.press('Record a film'), me.says('Finish the film'))
    me.step('and saved', lambda: ([frame(page) for _ in range(10)], save('Finish the film')),
            lambda: kept[-1].startswith(b'\x1aE\xdf\xa3'))
    me.step('dark colours', lambda: me.tick('dark'), lambda: page.evaluate(
        'document.documentElement.dataset.mantineColorScheme') == 'dark')
    me.tab('Move')
    me.step('Home', lambda: me.press('Home'), lambda: me.state() == NOBODY)
    me.tab('Scene')
    me.step('the scene is loaded', lambda: page.locator('input[type=file]').last.set_input_files(
        {'name': 's.json', 'mimeType': 'application/json', 'buffer': kept[0]}),
        lambda: np.abs(me.q() - values).max() < 1e-9)
    me.step('the camera is turned by the mouse', lambda: (
        page.mouse.move(60, 500), page.mouse.down(), page.mouse.move(260, 450, steps=5),
        page.mouse.up(), frame(page)))
    me.step('Fit view shows the figure', lambda: me.press('Fit view'))
    return kept[-1]
