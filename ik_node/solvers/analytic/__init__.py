"""Closed forms: the kind of arm is recognised, every branch is returned.

In the order of their imports:

- `subproblems`: equations and triples of joints, as in Paden and Kahan, and eigenvalues;
- `structure`: a recognised arm as flat arrays;
- `families`: the closed form of each family, and its branches on the nominal arm;
- `recognition`: the family of a chain, from its axes;
- `refinement`: branches brought onto the true arm by Newton's method;
- `selection`: all solutions, the preferred one, and the choice of redundancy parameters;
- `plan`, `elbow`, `infeasibility`, `solver`: the solver.
"""
