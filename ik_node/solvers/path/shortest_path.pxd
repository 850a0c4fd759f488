include "shortest_path.pxi"
# long long: COMPARED
# int: Rungs.m, Rungs.n
