from libc cimport math
from ik_node.kernels cimport normal_equations, problem as problems
from ik_node.kernels.arrays cimport matrix, vector
from ik_node.kernels.problem cimport Problem
from ik_node.kernels.step_work cimport StepWork

cdef double RANK, NO_ROW, TINY, SMALL, CROSSING, INF
cdef int FACTOR

cdef void cascade(Problem problem, StepWork work, vector e, double damping) noexcept nogil
cdef void project(StepWork work, matrix A, int first, int m, int taken) noexcept nogil
cdef void remove(vector direction, matrix B, vector values, int n, int m) noexcept nogil
cdef int take_rows(StepWork work, int m, int taken) noexcept nogil
cdef double lengthen(StepWork work, int count) noexcept nogil
cdef void to_bounded_minimum(StepWork work, vector e, int first, int m, int taken,
                             double damping2) noexcept nogil
cdef void hold(StepWork work, int m, int taken, int index) noexcept nogil
cdef double towards_minimum(StepWork work, vector e, int first, int m, int taken,
                            double damping2) noexcept nogil
cdef void across(matrix Q, int count, int n, vector v) noexcept nogil
cdef (double, int) room(StepWork work) noexcept nogil
cdef int to_drop(StepWork work, vector e, int first, int m, int taken, int count,
                 double damping2) noexcept nogil
