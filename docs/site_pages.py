"""Pages of the site that lie beside the folder: MkDocs calls this when it collects the files."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add CONTRIBUTING.md and CHANGELOG.md, with their links into docs/ made links of the site."""
    for name in ("CONTRIBUTING", "CHANGELOG"):
        text = (ROOT / f"{name}.md").read_text()
        text = re.sub(r"\]\(docs/", "](", text)
        files.append(File.generated(config, f"{name.lower()}.md", content=text))
    return files
