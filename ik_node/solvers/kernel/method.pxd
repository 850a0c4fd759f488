include "method.pxi"
# cpdef: Method.make_data()
# except -1 nogil: Method.attempt(), Method.bare_step()
# except -1 with gil: PythonMethod.call()
