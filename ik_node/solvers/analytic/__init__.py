"""Closed forms: the kind of arm is recognised, every branch is returned.

In the order of their imports:

- `subproblems`: equations and triples of joints, as in Paden and Kahan, and the elimination;
- `families`: the closed form of each family, and its branches on the nominal arm;
- `structure`: a recognised arm, and its family;
- `recognition`: the structure of a chain, from its axes;
- `refinement`: branches brought onto the true arm by Newton's method, and all solutions;
- `selection`: the preferred solution, and the choice of redundancy parameters;
- `plan`, `elbow`, `infeasibility`, `solver`: the solver.
"""
