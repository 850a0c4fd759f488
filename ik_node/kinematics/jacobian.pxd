cimport ik_node.kinematics.kinds as kinds
from ik_node.support.arrays cimport columns, points, pose, poses
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.kinematics.tree cimport Tree
cimport cython

cdef void chain_jacobian(ChainRecord chain, poses F, pose T_base_point, columns J) noexcept nogil
@cython.locals(in_spherical=cython.bint)
cdef void point_jacobian(Tree tree, poses F, points W, int link, double px, double py, double pz,
                         columns J) noexcept nogil
cdef void add_column(columns J, int column, bint prismatic, double ax, double ay, double az,
                     double x, double y, double z) noexcept nogil
