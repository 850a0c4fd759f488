include "elimination.pxi"
# twelves: EliminationData.M, EliminationData.V
# sixteens: EliminationData.K
