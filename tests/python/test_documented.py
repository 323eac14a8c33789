"""Everything has a docstring, a place in the stubs, and a test."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import stiffly
from stiffly import _core

MODULES = [stiffly, _core]


def members(owner):
    """Functions, classes, methods and properties that are public, with their names."""
    for name, value in vars(owner).items():
        if name.startswith("_") or inspect.ismodule(value):
            continue
        if inspect.isclass(value):
            yield f"{owner.__name__}.{name}", value
            yield from ((f"{owner.__name__}.{path}", member) for path, member in members(value))
        elif callable(value) or isinstance(value, property):
            yield f"{owner.__name__}.{name}", value


@pytest.mark.parametrize("name, value", [item for module in MODULES for item in members(module)])
def test_everything_has_a_docstring(name, value):
    text = (inspect.getdoc(value) or "").strip()
    # Below the line with the signature that pybind11 puts first.
    own = text.split("\n", 1)[-1] if re.match(r"\w+\(.*\) -> ", text) else text
    assert len(own.split()) >= 2 and own.rstrip()[-1] in ".:…)", f"{name}: {text!r}"


def test_names_are_exported():
    public = {name for name, value in vars(stiffly).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert public == set(stiffly.__all__)
    assert re.fullmatch(r"\d+\.\d+\.\d+", stiffly.__version__)


def test_every_name_is_tested():
    here = Path(__file__).parent
    tests = "".join(path.read_text() for path in here.glob("test_*.py") if path.name != Path(__file__).name)
    missing = [name for name in stiffly.__all__ if not re.search(rf"stiffly\.{name}\b", tests)]
    # Methods and properties of the classes, too.
    for name in stiffly.__all__:
        value = getattr(stiffly, name)
        if inspect.isclass(value) and not issubclass(value, Exception):
            missing += [f"{name}.{m}" for m in dir(value)
                        if not m.startswith("_") and not re.search(rf"\.{m}\b|\b{m} = |def {m}\b", tests)]
    assert missing == []


def parameters_of(function) -> list[str] | None:
    """Of a compiled function, from the line that pybind11 writes."""
    match = re.match(r"\w+\((.*)\) -> ", inspect.getdoc(function) or "")
    if not match:
        return None
    names = re.findall(r"(?:^|, )(\w+): ", re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", match[1])))
    return [name for name in names if name not in ("self", "arg0")]


def test_stubs_are_those_of_the_module():
    tree = ast.parse((Path(stiffly.__file__).parent / "_core.pyi").read_text())

    def described(body):
        out = {}
        for node in body:
            if isinstance(node, ast.ClassDef):
                out[node.name] = described(node.body)
            elif isinstance(node, ast.FunctionDef):
                out[node.name] = [a.arg for a in node.args.args if a.arg != "self"]
            elif isinstance(node, ast.AnnAssign):
                out[node.target.id] = None
        return out

    def compare(stub, owner, path):
        real = {n for n in vars(owner) if not re.fullmatch(r"__\w+__|_pybind11_\w+", n)}
        if inspect.isclass(owner) and issubclass(owner, Exception):
            return
        assert {n for n in stub if not re.fullmatch(r"__\w+__", n)} == real, path
        for name in stub:
            value = vars(owner).get(name)
            if isinstance(stub[name], dict):
                compare(stub[name], value, f"{path}.{name}")
            elif isinstance(stub[name], list) and (names := parameters_of(value)) is not None:
                assert stub[name] == names, f"{path}.{name}"

    compare(described(tree.body), _core, "_core")


def test_everything_written_in_python_says_its_types():
    """What is compiled has its types in the stubs; the package is marked as typed."""
    bare = []
    for name, value in members(stiffly):
        function = value.fget if isinstance(value, property) else value
        if inspect.isclass(value) or not inspect.isfunction(function):
            continue
        signature = inspect.signature(function)
        bare += [f"{name}({parameter})" for parameter, about in signature.parameters.items()
                 if parameter != "self" and about.annotation is inspect.Parameter.empty]
        bare += [name] if signature.return_annotation is inspect.Signature.empty else []
    assert bare == []
    assert (Path(stiffly.__file__).parent / "py.typed").exists()


def test_versions_agree():
    from conftest import ROOT

    assert f"version: {stiffly.__version__}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {stiffly.__version__}" in (ROOT / "CHANGELOG.md").read_text()
