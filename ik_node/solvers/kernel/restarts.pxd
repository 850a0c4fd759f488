from libc cimport math
from libc.math cimport rint as round
cimport ik_node.solvers.codes as codes
from ik_node.support.arrays cimport Memory, integers, points, rotations, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.kinematics.joint_limits cimport JointLimits
from ik_node.solvers.kernel.settings cimport Settings, Scratch
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef double INF, PI, TWO_PI, TURNED, POSE


cdef class Table:
    cdef Memory memory
    cdef int entries, cells
    cdef integers first
    cdef double edge
    cdef vector corner, samples, q
    cdef points position
    cdef rotations rotation


cdef int pick_entries(ChainRecord chain, TipTask task, Settings settings, Scratch work, Table table,
                      vector start) noexcept nogil
cdef void next_start(ChainRecord chain, Settings settings, Scratch work, Table table, int entries,
                     int around, int number, vector start, vector q) noexcept nogil
cdef void take_entry(ChainRecord chain, Table table, int number, vector start,
                     vector q) noexcept nogil
cdef void spread(JointLimits limits, vector unit, vector q0, vector samples, int number,
                 vector q) noexcept nogil
cdef double joint_distance(Settings settings, int n, vector q0, vector q) noexcept nogil
cdef int _cell(double offset, double edge, int cells) noexcept nogil
@cython.locals(whole=cython.bint)
cdef int _scan(TipTask task, Settings settings, Table table, int first, int last, int count,
               integers best, vector cost) noexcept nogil
cdef double _partial(TipTask task, double square, Table table, int i) noexcept nogil
