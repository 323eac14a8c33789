"""The documentation site: Sphinx over docs/, without a network. Formulas are MathML, made here."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import stiffly

project = "stiffly"
author = "the authors of stiffly"
version = release = stiffly.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
exclude_patterns = ["site/*", "claims/*", "runs/*", "auto/*", "maps/*", "trust/*"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "none"
default_role = "code"
html_theme = "alabaster"
html_theme_options = {"description": "stiff elastodynamics", "page_width": "auto", "body_max_width": "62em", "sidebar_width": "17em"}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_static_path = ["static"]
html_math_renderer = "mathml"
html_copy_source = False
# Pages in Markdown that also stand in the repository link to files beside docs/, which are no pages.
suppress_warnings = ["myst.xref_missing", "myst.header", "ref.myst"]


def _mathml(self, node: nodes.Element, inline: bool) -> None:
    made = tex2mathml(node.astext(), inline)
    self.body.append(made if inline else f'<div class="formula">{made}</div>')
    raise nodes.SkipNode


class IntegratorTable(SphinxDirective):
    """All integrators, from the registry."""

    def run(self) -> list[nodes.Node]:
        heads = ["name", "order", "estimate", "family", "stable", "what it is", "reference"]
        rows = []
        for m in stiffly.integrators():
            stable = "L" if m["l_stable"] else "A" if m["a_stable"] else ""
            stable += ", symplectic" if m["symplectic"] and stable else "symplectic" if m["symplectic"] else ""
            rows.append([m["name"], m["order"] or "–", m["embedded_order"] or "–", m["family"], stable, m["summary"],
                         m["reference"]])
        return [_table(heads, rows)]


class EvaluatorTable(SphinxDirective):
    """All evaluators of φ-functions, from the registry."""

    def run(self) -> list[nodes.Node]:
        heads = ["name", "family", "what it is", "reference"]
        return [_table(heads, [[e[k] for k in ("name", "family", "summary", "reference")] for e in stiffly.evaluators()])]


def _table(heads: list, rows: list) -> nodes.table:
    group = nodes.tgroup(cols=len(heads))
    for _ in heads:
        group += nodes.colspec(colwidth=1)

    def line(cells: list) -> nodes.row:
        out = nodes.row()
        for number, cell in enumerate(cells):
            text = nodes.literal(text=str(cell)) if number == 0 and cells is not heads else nodes.Text(str(cell))
            out += nodes.entry("", nodes.paragraph("", "", text))
        return out

    group += nodes.thead("", line(heads))
    group += nodes.tbody("", *[line(row) for row in rows])
    return nodes.table("", group)


def setup(app: Sphinx) -> None:
    app.add_directive("integrator-table", IntegratorTable)
    app.add_directive("evaluator-table", EvaluatorTable)
    app.add_html_math_renderer("mathml", (lambda s, n: _mathml(s, n, True), None), (lambda s, n: _mathml(s, n, False), None))
