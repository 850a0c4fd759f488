from ik_node.solvers.task cimport Task

cdef void load(Task task, const double[:, ::1] T_base_goal,
               const double[::1] weights) noexcept nogil
