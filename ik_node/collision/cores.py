"""Kinds of convex cores, about their middle: what is within a radius of one is a shape."""

# A segment and the axis of a drum are along z; a half-space is all below z = 0.
POINT, SEGMENT, CUBOID, DRUM, HULL, HALF_SPACE = range(6)
