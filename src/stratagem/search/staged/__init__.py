"""Search by stages: a turn is put together from parts that stages propose, refine and learn about; docs/search/staged.md."""

from stratagem.search.staged.kernels import KernelStaging, Outline
from stratagem.search.staged.search import Considered, Judged, Staged
from stratagem.search.staged.settings import Settings
from stratagem.search.staged.stage import (
    Context,
    Generator,
    IllegalJoin,
    Judgement,
    Listed,
    Proposal,
    Stage,
    StageError,
    Staging,
    Trials,
)

__all__ = [
    "Considered",
    "Context",
    "Generator",
    "IllegalJoin",
    "Judged",
    "Judgement",
    "KernelStaging",
    "Listed",
    "Outline",
    "Proposal",
    "Settings",
    "Stage",
    "StageError",
    "Staged",
    "Staging",
    "Trials",
]
