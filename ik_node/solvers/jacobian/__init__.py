"""The Jacobian family: pseudoinverse, damped least squares, transpose, and what they share."""
