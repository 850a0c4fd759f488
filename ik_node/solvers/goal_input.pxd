from ik_node.solvers.task cimport TipTask

cdef void load(TipTask task, const double[:, ::1] T_base_goal,
               const double[::1] weights) noexcept nogil
