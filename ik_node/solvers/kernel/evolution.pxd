include "evolution.pxi"
# public long long: Population.state
# long long: MODULUS, MULTIPLIER
# except -1 nogil: Judge.cost(), Evolution.evolve(), Evolution.begin(), Evolution.breed()
# except -1 with gil: PythonJudge.call()
# cpdef noexcept nogil: uniform(), normal()
# Python: first_state()
# long long: Evolution.generator
# int: Evolution.children, Evolution.generations, Evolution.elite, Evolution.wipeout
# double: Evolution.mutation, Evolution.crossover, Evolution.momentum
