"""What RViz shows of the arms: one concept a module, all in the frame of an arm's base."""
