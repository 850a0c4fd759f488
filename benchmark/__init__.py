"""How fast and how sure the solvers are, beside their peers: `make bench`."""
