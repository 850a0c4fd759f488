include "active_set_qp.pxi"
