include "constrained_dynamics.pxi"
# Tree: Mass.tree
