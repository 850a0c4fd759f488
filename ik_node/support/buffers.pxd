# Not compiled: what stands here is inlined where it is used.
from cpython.buffer cimport PyBUF_ND, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from ik_node.support.arrays cimport rows, vector


cdef inline int copy_rows(rows found, object out) except -1:
    cdef Py_buffer buffer
    PyObject_GetBuffer(out, &buffer, PyBUF_ND | PyBUF_WRITABLE)
    values, n = <vector> buffer.buf, buffer.shape[1]
    for i in range(buffer.shape[0]):
        for k in range(n):
            values[i * n + k] = found[i][k]
    PyBuffer_Release(&buffer)
    return 0
