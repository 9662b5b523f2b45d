"""The distribution `stratagem-kernels`: what the games and searches of Stratagem need, compiled for a level of processors.

`make kernels` builds it; see docs/kernels.md.
"""
