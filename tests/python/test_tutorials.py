"""Every snippet of the tutorials and of the README's Python section works as it is written.

Blocks of a page are done in their order, in one folder: TOML with a first line `# NAME` becomes that file, shell lines are
run with `./stiffly` the program of this build, Python goes on where the page's Python stopped.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)

LAUNCHER = """#!/bin/bash
if [[ ${1-} == python ]]; then shift; exec "$PYTHON" "$@"; fi
exec "$STIFFLY_PROGRAM" "$@"
"""


def shell(text: str) -> None:
    done = subprocess.run(["bash", "-euc", text], capture_output=True, text=True)
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"


def work_through(text: str, folder: Path, monkeypatch) -> int:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHON", sys.executable)
    launcher = folder / "stiffly"
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)
    names: dict = {"__name__": "tutorial"}
    blocks = BLOCK.findall(text)
    for kind, block in blocks:
        if kind == "python":
            exec(compile(block, "snippet", "exec"), names)
        elif kind == "toml":
            name = re.match(r"# (\S+)\n", block)
            assert name, "TOML blocks begin with the name of their file"
            (folder / name[1]).write_text(block)
        elif kind == "sh":
            shell(block)
        else:
            assert kind in ("text", "cmake"), f"what is a block of {kind}?"
    return len(blocks)


@pytest.mark.skipif("STIFFLY_PROGRAM" not in os.environ, reason="run by ctest, which knows the program")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tutorials(page, tmp_path, monkeypatch):
    text = page.read_text()
    assert work_through(text, tmp_path, monkeypatch) or "{literalinclude}" in text
    for path in re.findall(r"\{literalinclude\} (\S+)", text):
        assert (page.parent / path).is_file(), path


@pytest.mark.skipif("STIFFLY_PROGRAM" not in os.environ, reason="run by ctest, which knows the program")
def test_readme(tmp_path, monkeypatch):
    section = re.search(r"^## Python\n(.*?)^## ", (ROOT / "README.md").read_text(), re.S | re.M)
    assert section, "the README has a section on Python"
    text = re.sub(r"^```\n(\./stiffly.*?)^```$", r"```sh\n\1```", section[1], flags=re.S | re.M)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert work_through(text, tmp_path, monkeypatch) >= 2


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples(example):
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_programs_shown_are_programs_tested():
    shown = {Path(path).name for page in PAGES
             for path in re.findall(r"\{literalinclude\} ../../examples/(\S+)", page.read_text())}
    tested = set(re.findall(r"^example\((\w+)", (ROOT / "examples" / "CMakeLists.txt").read_text(), re.M))
    assert {Path(name).stem for name in shown if name.endswith(".cpp")} == tested
    assert {name for name in shown if name.endswith(".py")} == {p.name for p in (ROOT / "examples").glob("*.py")}


def test_the_site_builds_and_has_everything(tmp_path):
    pytest.importorskip("sphinx")
    pytest.importorskip("myst_parser")
    import stiffly

    docs = ROOT / "docs"
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "-c", str(docs / "site"), "-d", str(tmp_path / "trees"),
                           str(docs), str(tmp_path / "out")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "out" / "integrators.html").read_text()
    assert all(f">{m['name']}<" in table for m in stiffly.integrators() + stiffly.evaluators())
    python = (tmp_path / "out" / "python.html").read_text()
    assert [name for name in stiffly.__all__ if f'id="stiffly.{name}"' not in python] == []
    assert "<math" in (tmp_path / "out" / "theory.html").read_text()
    pages = list((tmp_path / "out").rglob("*.html"))
    assert len(pages) > 15 and not any("http://cdn" in p.read_text() or "https://cdn" in p.read_text() for p in pages)
