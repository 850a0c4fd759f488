from libc cimport math
cimport ik_node.kernels.cascade as cascades
cimport ik_node.kernels.limits as limited
cimport ik_node.kernels.problem as problems
cimport ik_node.kernels.tree as trees
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.body_task cimport TaskWork
from ik_node.kernels.cascade cimport Cascade
from ik_node.kernels.limits cimport Limits
from ik_node.kernels.problem cimport Found, Problem
from ik_node.kernels.step_work cimport StepWork
from ik_node.kernels.tree cimport Tree

cdef int CORRECTIONS, SHORTER
cdef double CONVERGING, SHORTEN, CURVED, PART, INF

cdef int correct(Tree tree, Problem problem, Limits limits, TaskWork task, StepWork work,
                 Cascade cascade, Found found, vector q, double dt,
                 bint all_rows) except -1 nogil
cdef double begin(Problem problem, Limits limits, StepWork work) noexcept nogil
cdef double converge(Tree tree, Problem problem, Limits limits, TaskWork task, StepWork work,
                     Cascade cascade, Found found, vector q, bint all_rows) except? -1.0 nogil
cdef int rows_there(Tree tree, Problem problem, Limits limits, TaskWork task, StepWork work,
                    Found found, vector q) except -1 nogil
cdef double ask_for_more(Problem problem, StepWork work, bint all_rows) noexcept nogil
cdef double lacking(Problem problem, int i, double e) noexcept nogil
