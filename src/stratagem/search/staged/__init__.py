"""Search by stages: a turn is put together from parts that stages propose, refine and learn about; docs/search/staged.md."""

from stratagem.search.staged.search import Considered, Judged, Settings, Staged
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
)

__all__ = [
    "Considered",
    "Context",
    "Generator",
    "IllegalJoin",
    "Judged",
    "Judgement",
    "Listed",
    "Proposal",
    "Settings",
    "Stage",
    "StageError",
    "Staged",
    "Staging",
]
