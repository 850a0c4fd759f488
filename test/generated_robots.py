"""Random serial robots, the same for the same seed: what no example in the field covers.

Up to 40 joints; revolute, continuous, prismatic, planar, floating and mimicking ones; sizes from a
millimetre to a kilometre; wide, narrow, tiny and one-sided limits.
"""

from typing import NamedTuple

import numpy as np

import robots
from ik_node import Chain, KinematicTree
from ik_node.kinematics.reach import extent

INSIDE = 0.01  # of the range of a joint: how far from its limits goals are taken
_TYPES = ('revolute', 'continuous', 'prismatic', 'planar', 'floating', 'mimic', 'fixed')


class GeneratedRobot(NamedTuple):
    """A chain, its size, and how near its tip has to come to a goal."""

    chain: Chain
    size: float
    """m, of its links together."""
    position_tolerance: float
    """m."""

    def configuration(self, rng: np.random.Generator) -> np.ndarray:
        """Return joint values (n,) at least `INSIDE` of the range inside the limits, rad or m.

        Without limits: half a turn, or three sizes, to either side of zero or of the one limit.
        """
        chain = self.chain
        reaching = np.where(chain.prismatic, 3.0 * self.size, np.pi)
        lower, upper = chain.lower.copy(), chain.upper.copy()
        below, above = ~np.isfinite(lower), ~np.isfinite(upper)
        both = below & above
        lower[both], upper[both] = -reaching[both], reaching[both]
        only = below & ~above
        lower[only] = upper[only] - 2.0 * reaching[only]
        only = above & ~below
        upper[only] = lower[only] + 2.0 * reaching[only]
        margin = INSIDE * (upper - lower)
        return rng.uniform(lower + margin, upper - margin)


def generate(seed: int) -> GeneratedRobot:
    """Return the robot of a seed."""
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-3.0, 3.0)
    wanted = int(rng.integers(1, 13) if rng.random() < 0.7 else rng.integers(13, 41))
    plain = rng.random() < 0.3  # axes along the coordinates, as most robots have them
    link = size / wanted
    parts, parent, joints, sources = [], 'base', 0, []
    weights = np.array([6.0, 2.0, 2.0, 0.25, 0.15, 1.0, 1.0])
    while joints < wanted:
        name = f'j{len(parts)}'
        kind = str(rng.choice(_TYPES, p=weights / weights.sum()))
        if (kind == 'mimic' and not sources) or (kind == 'floating' and wanted - joints < 6) or (
                kind == 'planar' and wanted - joints < 3):
            kind = 'revolute'
        mimic, real = '', kind
        if kind == 'mimic':
            source, real = sources[rng.integers(len(sources))]
            mimic = (f'joint="{source}" multiplier="{rng.choice([1.0, -1.0, 0.5, 2.0])}" '
                     f'offset="{0.1 * rng.normal() * (link if real == "prismatic" else 1.0)}"')
        parts.append(robots.joint(
            name, real, parent, f'l{len(parts)}', xyz=_words(_direction(rng, plain) * link),
            rpy=_words(_orientation(rng, plain)), axis=_words(_direction(rng, plain)), mimic=mimic,
            limit=_limit(rng, real, link, bool(mimic))))
        parent = f'l{len(parts) - 1}'
        if kind in ('revolute', 'continuous', 'prismatic'):
            sources.append((name, kind))
        joints += {'floating': 6, 'planar': 3, 'mimic': 0, 'fixed': 0}.get(kind, 1)
    parts.append(robots.joint('end', 'fixed', parent, 'tip', xyz=_words(_direction(rng, plain)
                                                                        * link)))
    chain = _one_sided(KinematicTree.from_urdf(robots.robot(*parts)).chain(), rng)
    radius = extent(chain.arrays).reach
    radius = radius if np.isfinite(radius) else 10.0 * size
    return GeneratedRobot(chain, size, max(1e-6, 1e-9 * radius))


def _limit(rng: np.random.Generator, kind: str, link: float, follows: bool) -> str:
    """Return the limits of a joint as URDF; those of a mimic are wide, for its source's to hold."""
    if kind not in ('revolute', 'prismatic'):
        return ''
    unit = link if kind == 'prismatic' else 1.0
    if follows:
        return f'lower="{-100.0 * unit!r}" upper="{100.0 * unit!r}" effort="1" velocity="1"'
    width = rng.choice([1e-4, 0.05, 1.0, 3.0, 5.5, 12.0], p=[0.05, 0.1, 0.2, 0.3, 0.25, 0.1]) * unit
    middle = rng.normal() * (0.0 if rng.random() < 0.5 else 0.5) * unit
    return (f'lower="{float(middle - 0.5 * width)!r}" upper="{float(middle + 0.5 * width)!r}" '
            'effort="1" velocity="1"')


def _one_sided(chain: Chain, rng: np.random.Generator) -> Chain:
    """Return the chain with some limits taken away, one side of a joint at a time."""
    lower, upper = chain.lower.copy(), chain.upper.copy()
    for k in np.flatnonzero(rng.random(chain.n_joints) < 0.05):
        if rng.random() < 0.5:
            lower[k] = -np.inf
        else:
            upper[k] = np.inf
    return chain.with_limits(lower, upper)


def _direction(rng: np.random.Generator, plain: bool) -> np.ndarray:
    if plain:
        return rng.choice([-1.0, 1.0]) * np.eye(3)[rng.integers(3)]
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def _orientation(rng: np.random.Generator, plain: bool) -> np.ndarray:
    return rng.choice([0.0, 1.5708, -1.5708, 3.14159], size=3) if plain else rng.uniform(
        -np.pi, np.pi, size=3)


def _words(values: np.ndarray) -> str:
    return ' '.join(repr(float(x)) for x in values)
