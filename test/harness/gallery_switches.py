"""Chooses robots in the gallery of a page, and compares what is drawn with forward kinematics."""

import re

import numpy as np
from sensor_msgs.msg import JointState

from harness.browser import choose, drawn, open_tab, until
from ik_node.model.readers import read_model
from ik_node.viewer import gallery
from robots import random_q

SIZE = {'width': 700, 'height': 500}  # of the page, pixels: the processor renders it
_TOLERANCE = 1e-4  # m, and entries of a rotation matrix
_SHAPE = re.compile(r'/visual_\d+_\d+$')  # ends the name of a scene node with a shape


# Viser reports this for a slider that was moved and removed between two frames, which is harmless.
_HARMLESS = 'Tried to update non-existent component'


def page_errors(messages):
    """Return the errors among the console messages (kind, text) of a page."""
    return [text for kind, text in messages if kind == 'error' and not text.startswith(_HARMLESS)]


class Gallery:
    """The gallery of a page on a node; every robot is left in a random joint configuration."""

    def __init__(self, node, page, rng):
        self._node, self._page, self._rng, self.shown = node, page, rng, ''
        self.robots = gallery.robots()
        self._heard = node.listen(JointState, 'joint_states')

    def switch(self, name):
        """Choose a robot and move it; return the errors of what is drawn, a line each."""
        open_tab(self._page, 'Robot')
        choose(self._page, 'robot', name)
        return self.move(name)

    def move(self, name):
        """Move the robot that the page shows; return the errors before and after."""
        given = self.robots[name]
        file = given['model_path']
        tree = read_model(file)
        chain = tree.chain(given['base_link'] or None, given['tip_link'] or None)
        self.shown = name
        until(lambda: file in self._node.get('model_path'), 60.0, self._page)
        errors = self._compare(tree, chain)
        self._node.stand(random_q(chain, self._rng, inside=0.99))
        return errors + self._compare(tree, chain)

    def _compare(self, tree, chain):
        """Return the errors that are left when the page has had time to draw."""
        errors = ['no joint states']

        def agrees():
            self._heard.clear()  # the first may still be of the robot before
            self._node.until(lambda: self._heard, 1.0)
            if self._heard:
                message = self._heard[-1]
                errors[:] = _errors(tree, chain, dict(zip(message.name, message.position)),
                                    drawn(self._page))
            return not errors
        until(agrees, 60.0, self._page)
        return [f'{self.shown}: {error}' for error in errors]


def _errors(tree, chain, values, T_drawn):
    moving = {joint.name for joint in tree.joints.values() if joint.moves}
    if set(values) != moving:
        return ['joint states of another robot']
    T_root = tree.forward(values)
    errors, parents = [], {joint.child: joint.parent for joint in tree.joints.values()}
    robot = {name: T for name, T in T_drawn.items() if '/robot' in name and not _SHAPE.search(name)}
    expected = set()
    for link, T in T_root.items():
        path, above = f'/{link}', parents.get(link)
        while above is not None:
            path, above = f'/{above}{path}', parents.get(above)
        found = [name for name in robot if name.endswith(path)
                 and name.removesuffix(path).rsplit('/', 1)[1].startswith('robot')]
        expected.update(found)
        if len(found) != 1:
            errors.append(f'{link} is drawn {len(found)} times')
        elif np.abs(robot[found[0]] - T).max() > _TOLERANCE:
            errors.append(f'{link} is {np.abs(robot[found[0]] - T).max():.3g} off')
    errors += [f'{name} is left' for name in robot if name not in expected
               and not name.rsplit('/', 1)[1].startswith('robot')]
    handle = [T for name, T in T_drawn.items() if name.startswith('/ik_node/goal')]
    if len(handle) != 1:
        errors.append(f'{len(handle)} handles')
    elif np.abs(handle[0] - T_root[chain.tip_link]).max() > _TOLERANCE:
        errors.append('the handle is not at the tip')
    return errors
