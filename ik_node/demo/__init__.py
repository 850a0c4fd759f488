"""What shows the node at work: goals on a way that every arm can follow, and pictures of it."""
