include "shortest_path.pxi"
# long: COMPARED
# int: Rungs.m, Rungs.n
