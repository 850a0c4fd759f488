"""Building blocks: equations, triples of joints as in Paden and Kahan, and eigenvalues."""
