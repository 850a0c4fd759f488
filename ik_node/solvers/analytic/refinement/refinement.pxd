include "refinement.pxi"
# TipTask: Refinement.task
# rows: Refinement.branches
# vector: Refinement.parameters, Refinement.q0
# int: Refinement.steps
# double: Refinement.unit
