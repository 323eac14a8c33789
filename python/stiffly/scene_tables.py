"""Scenes from arrays: the tables of a scene file, with columns in place of rows."""

from __future__ import annotations

import os
from typing import Any, Iterable, Mapping

import numpy as np

from . import _core
from ._core import InputError, Scene, State

#: Arguments of `scene` that are lists of tables, and what a scene file calls one of them.
_LISTS = {"particles": "particle", "springs": "spring", "weighted_springs": "weighted_spring", "girders": "girder",
          "rigid": "rigid",          "fibres": "fibres", "fields": "field", "motions": "motion", "obstacles": "obstacle", "motors": "motor"}
#: Arguments that are one table each, of the same name in a scene file.
_SINGLE = ("damping", "contact", "fluid", "plasticity", "model")
#: Keys of which one value has several entries: that many.
_WIDTHS = {"position": 3, "velocity": 3, "ends": 2}
#: Lists of any length for each table.
_RAGGED = {"first", "second", "first_weights", "second_weights"}


def _plain(value: Any) -> Any:
    """Without NumPy: lists, numbers, texts."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _rows(columns: Mapping[str, Any], what: str) -> list[dict]:
    """Tables from columns; a value that is not a column is that of every table."""
    width = {key: _WIDTHS.get(key, 0) for key in columns}
    lengths = {}
    for key, value in columns.items():
        if key in _RAGGED:
            lengths[key] = len(value)
        elif not isinstance(value, str) and np.ndim(value) == (2 if width[key] else 1):
            if width[key] and np.shape(value)[1] != width[key]:
                raise InputError(f"'{key}' of {what} must have {width[key]} columns, not {np.shape(value)[1]}")
            lengths[key] = len(value)
    if not lengths:
        raise InputError(f"{what} need at least one column of values, such as an array of positions or ends")
    if len(set(lengths.values())) > 1:
        raise InputError(f"columns of {what} differ in length: {lengths}")
    count = next(iter(lengths.values()))
    plain = {key: _plain(value) for key, value in columns.items()}
    full = {key: value if key in lengths else [value] * count for key, value in plain.items()}
    return [dict(zip(full, row)) for row in zip(*full.values())]


def _tables(lists: Mapping[str, Any], single: Mapping[str, Any]) -> dict:
    out: dict[str, Any] = {}
    for name, value in lists.items():
        if value is None:
            continue
        columns = isinstance(value, Mapping)
        as_columns = columns and name in ("particles", "springs", "weighted_springs", "girders")
        rows = _rows(value, name) if as_columns else [value] if columns else value
        out[_LISTS[name]] = [{key: _plain(v) for key, v in row.items()} for row in rows]
    for name, value in single.items():
        if value:
            out[name] = {key: _plain(v) for key, v in value.items()} if isinstance(value, Mapping) else value
    return out


def scene(
    simulation: Mapping[str, Any],
    *,
    particles: Any = None,
    springs: Any = None,
    weighted_springs: Any = None,
    girders: Any = None,
    rigid: Any = None,
    fibres: Any = None,
    fields: Any = None,
    motions: Any = None,
    obstacles: Any = None,
    motors: Any = None,
    damping: Mapping[str, Any] | None = None,
    contact: Mapping[str, Any] | None = None,
    fluid: Mapping[str, Any] | None = None,
    plasticity: Mapping[str, Any] | None = None,
    model: Mapping[str, Any] | None = None,
    mesh: tuple[Any, Any] | None = None,
    forces: Iterable[Any] = (),
    name: str = "scene",
    title: str = "",
) -> Scene:
    """A scene from dictionaries and arrays: the same tables and keys as in a scene file (docs/scenes.md).

    `particles`, `springs`, `weighted_springs` and `girders` are dictionaries of columns, arrays with a row for each
    (or one value for all), or lists of dictionaries; `rigid`, `fibres`, `fields`, `motions`, `obstacles` and `motors` are a
    dictionary or a list of them. `mesh` is a pair of arrays (points, tetrahedra or triangles) for the model of kind "mesh", in place of its
    file. `forces` are objects of classes from stiffly.Force. ::

        stiffly.scene(
            {"duration": 1, "tolerance": 1e-3, "gravity": [0, 0, -9.81]},
            particles={"position": points, "mass": 0.01, "pinned": points[:, 0] == 0},
            springs={"ends": edges, "stiffness": 1e4},
        )
    """
    lists = {"particles": particles, "springs": springs, "weighted_springs": weighted_springs, "girders": girders,
             "rigid": rigid, "fibres": fibres, "fields": fields, "motions": motions, "obstacles": obstacles, "motors": motors}
    if mesh is not None:
        points, elements = np.ascontiguousarray(mesh[0], dtype=float), np.ascontiguousarray(mesh[1])
        if points.ndim != 2 or points.shape[1] != 3:
            raise InputError(f"points of a mesh have three columns, not the shape {points.shape}")
        if elements.ndim != 2 or elements.shape[1] not in (3, 4) or not np.issubdtype(elements.dtype, np.integer):
            raise InputError("elements of a mesh are whole numbers in three or four columns: triangles or tetrahedra")
        mesh = (points, elements.astype(np.int64))
        model = {"kind": "mesh", **(model or {})}
    tables = _tables(lists, {"simulation": simulation, "damping": damping, "contact": contact, "fluid": fluid,
                             "plasticity": plasticity, "model": model, "title": title})
    made = _core.scene_from_tables(name, tables, mesh)
    for force in forces:
        made.add_force(force)
    return made


def particle_system(**tables: Any) -> tuple[_core.System, State]:
    """The system and the start of a scene of these tables: the arguments are those of `scene`.

    `simulation` may be left out; of its keys only `gravity` counts.
    """
    tables["simulation"] = {"duration": 1.0, **tables.get("simulation", {})}
    made = scene(**tables)
    return made.system, made.start


def scene_of_equations(equations: Any, start: State, simulation: Mapping[str, Any], name: str = "equations") -> Scene:
    """A scene around Equations that are written in Python: to run it with all that runs write."""
    plain = {key: _plain(value) for key, value in simulation.items()}
    return _core.scene_of_equations(name, equations, start, plain)


def _toml(value: Any) -> str:
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    if isinstance(value, list):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    return repr(value)


def to_toml(simulation: Mapping[str, Any], **tables: Any) -> str:
    """The scene file of these tables, whose run gives the same bits: the arguments are those of `scene`.

    Meshes in arrays and forces in Python have no place in it.
    """
    lists = {name: tables.pop(name, None) for name in _LISTS}
    single = {name: tables.pop(name, None) for name in _SINGLE}
    title = tables.pop("title", "")
    tables.pop("name", None)
    if tables:
        raise InputError(f"a scene file has no place for {sorted(tables)}")
    text = f"title = {_toml(title)}\n" if title else ""
    made = _tables(lists, {"simulation": simulation, **single})
    for name, table in made.items():
        for row in table if isinstance(table, list) else [table]:
            text += f"\n[[{name}]]\n" if isinstance(table, list) else f"\n[{name}]\n"
            text += "".join(f"{key} = {_toml(value)}\n" for key, value in row.items())
    return text


def load_scene(name_or_path: str | os.PathLike, settings: Mapping[str, Any] | None = None, **more: Any) -> Scene:
    """A scene that comes with the program, by its name, or the one in a TOML file.

    Settings take the place of values in the file, by their keys: `load_scene("coil", size="full", duration=2)`; keys
    with a dot, such as "spring.3.stiffness", go into the dictionary.
    """
    texts = []
    for key, value in {**(settings or {}), **more}.items():
        plain = _plain(value)
        texts.append((key, plain if isinstance(plain, str) else _toml(plain)))
    return _core.load_scene(os.fspath(name_or_path), texts)
