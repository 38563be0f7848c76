"""Experiments: sweeps and figures, and the lemmas, guarantees and worked examples of the paper, checked."""
