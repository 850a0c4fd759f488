"""Acclaim skeletons and motions of the tests, their formulas written plainly, malformed ones."""

import numpy as np

FIGURE = '''# a small figure, with what files in the field do
:version 1.10
:name Small Figure
:units
  angle deg
  length 0.45
  mass 2.0
:documentation
  free text: begin end 1 2 3
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name Hip
     direction 0.566809 -0.746272 0.349008
     length 2.40479
     axis 0 0 0 XYZ
  end
  begin
     id 2
     name Femur           # bends in every direction
     direction 0.34202 -0.939693 0
     length 7.1578
     axis -1.2921e-015 10 20 XYZ
     bodymass 8.0
     cofmass 3.0
     dof rx ry rz
     limits (-160.0 20.0)
            (-70.0, 70.0)
            (-inf inf)
  end
  begin
     name Tibia
     length 7.49137
     limits (-10.0 170.0)
     dof rx
     axis 30 -40 50 ZYX
     direction 0.34202 -0.939693 0
     bodymass 4.0
     id 3
  end
  begin
     id 4
     name Foot
     direction 0 0 1
     length 2.3
     axis 90 7.62852e-016 20 YZX
     dof rz rx l
     limits (-45 90) (-70 20)
            (-1 2)
  end
  begin
     id 5
     name Back
     direction 0 1 0
     length 4.5
     axis 5 6 7 XZY
     dof RX TY RZ
  end
  begin
     id 6
     name head
     direction 0 0.948683298 0.316227766
     length 1.75
     axis 0 0 90 YXZ
     dof ry
     limits (10 10)
  end
:hierarchy
  begin
    root Hip back
    hip femur
    femur tibia
    tibia foot
    back head
  end
'''
BONES = {'hip': (), 'femur': ('rx', 'ry', 'rz'), 'tibia': ('rx',), 'foot': ('rz', 'rx', 'l'),
         'back': ('rx', 'ty', 'rz'), 'head': ('ry',)}
ROOT_ORDER = ('tx', 'ty', 'tz', 'rx', 'ry', 'rz')
UNIT = 0.0254 / 0.45  # m per unit of length of FIGURE
_AXES = {'femur': ((-1.2921e-15, 10, 20), 'xyz'), 'tibia': ((30, -40, 50), 'zyx'),
         'foot': ((90, 7.62852e-16, 20), 'yzx'), 'back': ((5, 6, 7), 'xzy'),
         'head': ((0, 0, 90), 'yxz'), 'hip': ((0, 0, 0), 'xyz')}
_REST = {'hip': ((0.566809, -0.746272, 0.349008), 2.40479),
         'femur': ((0.34202, -0.939693, 0), 7.1578), 'tibia': ((0.34202, -0.939693, 0), 7.49137),
         'foot': ((0, 0, 1), 2.3), 'back': ((0, 1, 0), 4.5),
         'head': ((0, 0.948683298, 0.316227766), 1.75)}
PARENTS = {'hip': 'root', 'femur': 'hip', 'tibia': 'femur', 'foot': 'tibia', 'back': 'root',
           'head': 'back'}


def turn(letter, degrees):
    """Return the rotation (3, 3) about an axis."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array({'x': [[1, 0, 0], [0, c, -s], [0, s, c]],
                     'y': [[c, 0, s], [0, 1, 0], [-s, 0, c]],
                     'z': [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[letter])


def fixed_axes(order, degrees):
    """Return the rotation (3, 3) about fixed axes, the first of the order first."""
    R = np.eye(3)
    for letter in order:
        R = turn(letter, degrees[letter]) @ R
    return R


def positions(values):
    """Return {bone: far end (3,), m, z up} of FIGURE by its formulas.

    values: {bone or root: {degree of freedom: number of the file}}.
    """
    found = {}

    def place(name):
        if name in found:
            return found[name]
        given = values.get(name, {})
        t = np.array([given.get(f't{letter}', 0.0) for letter in 'xyz'])
        if name == 'root':
            found[name] = t, fixed_axes('xyz', {k: given.get(f'r{k}', 0.0) for k in 'xyz'})
            return found[name]
        p, M = place(PARENTS[name])
        angles, order = _AXES[name]
        C = fixed_axes(order, dict(zip('xyz', angles)))
        turns = [dof[1] for dof in BONES[name] if dof[0] == 'r']
        R = fixed_axes(turns, {letter: given.get(f'r{letter}', 0.0) for letter in turns})
        p = p + M @ C @ t
        M = M @ C @ R @ np.linalg.inv(C)
        direction, length = _REST[name]
        found[name] = p + (length + given.get('l', 0.0)) * M @ np.array(direction), M
        return found[name]
    up = turn('x', 90)
    return {name: up @ (UNIT * place(name)[0]) for name in ('root', *BONES)}


def random_values(rng):
    """Return numbers of a motion file, {bone or root: {degree of freedom: number}}."""
    return {name: {dof: round(float(rng.uniform(-170, 170) if dof[0] == 'r' else
                                    rng.uniform(-3, 3)), 6) for dof in dofs}
            for name, dofs in {'root': ROOT_ORDER, **BONES}.items() if dofs}


def motion(frames, header=':FULLY-SPECIFIED\n:DEGREES\n'):
    """Return frames, as `random_values` has them, as the text of a motion file."""
    lines = [header.rstrip('\n')] if header else []
    for k, values in enumerate(frames, start=1):
        lines.append(str(k))
        lines += [f'{name} {" ".join(repr(value) for value in given.values())}'
                  for name, given in values.items()]
    return '\n'.join(lines) + '\n'


def malformed(text, rng, keep):
    """Return a text with a word of one line made wrong, and the number of that line.

    keep(words): whether a line must be left as it is, as a change there may be right.
    """
    lines = text.splitlines()
    choices = [k for k, line in enumerate(lines) if not keep(line.split('#')[0].split())]
    k = int(rng.choice(choices))
    words = lines[k].split('#')[0].split()
    numbers = [j for j, word in enumerate(words) if any(c.isdigit() for c in word) and j]
    if numbers:
        j = int(rng.choice(numbers))
        wrong = ['abc', 'nan', '1.2.3', '1_0', '', '--1', '0x10', '%', '1.#QNAN']
        # Limits may be infinite.
        words[j] = str(rng.choice(wrong if '(' in lines[k] else [*wrong, '1e999']))
    else:
        words[int(rng.integers(len(words)))] += ['?', 'x', '\0', ' extra'][rng.integers(4)]
    lines[k] = ' '.join(words)
    return '\n'.join(lines) + '\n', k + 1
