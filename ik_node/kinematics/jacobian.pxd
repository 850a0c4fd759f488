cimport ik_node.kinematics.kinds as kinds
from ik_node.support.arrays cimport columns, pose, poses
from ik_node.kinematics.forward cimport ChainRecord

cdef void chain_jacobian(ChainRecord chain, poses F, pose T_base_point, columns J) noexcept nogil
cdef void _add_column(columns J, int column, bint prismatic, double ax, double ay, double az,
                      double x, double y, double z) noexcept nogil
