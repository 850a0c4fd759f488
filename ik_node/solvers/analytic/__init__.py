"""Closed forms: the kind of arm is recognised, every branch is returned.

In the order of their imports:

- `subproblems`: equations and triples of joints, as in Paden and Kahan, and the elimination;
- `families`: the closed form of each family, and its branches on the nominal arm;
- `recognition`: the nominal arm of a chain, and its structure, from its axes;
- `refinement`: branches brought onto the true arm by Newton's method, and all solutions;
- `selection`: the preferred solution, and the choice of redundancy parameters;
- `goal_closed_form`, `elbow`, `infeasibility`, `branch_search`, `solver`: the solver.
"""
