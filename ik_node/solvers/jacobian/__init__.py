"""The Jacobian family: pseudoinverse, damped least squares, transpose, and their common loop."""
