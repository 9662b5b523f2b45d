"""`make bench`: run every benchmark of this folder, one after another; each says in a line if it cannot run here."""

import subprocess
import sys
from pathlib import Path

status = 0
for file in sorted(Path(__file__).parent.glob("bench_*.py")):
    print(f"== {file.stem}", flush=True)
    status |= subprocess.run([sys.executable, str(file)], check=False).returncode
sys.exit(status)
