#!/bin/sh
# pip_install.sh PYTHON SOURCE WORK: installs the module as README says into a folder, compiled, and uses it from there.
set -eu
python=$1 source=$2 work=$3
for module in pip setuptools wheel; do
  "$python" -c "import $module" 2>/dev/null || { echo "skipped: python3-$module is not installed"; exit 0; }
done
rm -rf "$work"
mkdir -p "$work"
"$python" -m pip install --no-build-isolation --no-deps --no-index --target "$work/site" "$source"
cd "$work"
PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1 "$python" - "$work" <<'PROGRAM'
import sys
from pathlib import Path

import stiffly

home = Path(stiffly.__file__).parent
assert home == Path(sys.argv[1]) / "site" / "stiffly", home
assert {"py.typed", "_core.pyi"} <= {path.name for path in home.iterdir()}
assert {"coil", "chain", "hair"} <= {entry["name"] for entry in stiffly.scenes()}
result = stiffly.run(stiffly.load_scene("chain", duration=0.1), folder="run")
assert result.report["status"] == "done" and result.report["steps"] > 0, result.report
assert len(stiffly.open_run("run").frames) > 1
print("installed, imported, run:", stiffly.__version__, home)
PROGRAM
