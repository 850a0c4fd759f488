"""Where an arm can get, how it can stand there, and which task axes it serves."""
