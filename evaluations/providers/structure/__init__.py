"""The `structure` baseline: what follows from a SMILES by computing, and nothing else."""
