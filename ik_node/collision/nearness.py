"""How near the shapes of a robot come to others on a path, m."""

FAR = 0.1        # beyond the margin: up to it distances from a world are measured
NEARER = 1e-4    # by which a pair may come nearer than the margin, and not be touched;
STOP = 5e-5      # at the places that are looked at half of it
ROUNDING = 1e-7
