from libc cimport math
cimport ik_node.solvers.body.levels.cascade as cascades
cimport ik_node.solvers.body.limits as limited
cimport ik_node.solvers.body.stacked_tasks as problems
cimport ik_node.kinematics.tree as trees
from ik_node.support.arrays cimport vector
from ik_node.tasks.body_task cimport TaskWork
from ik_node.solvers.body.levels.cascade cimport Cascade
from ik_node.solvers.body.limits cimport Limits
from ik_node.solvers.body.stacked_tasks cimport Found, Problem
from ik_node.solvers.body.step_work cimport StepWork
from ik_node.kinematics.tree cimport Tree

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
