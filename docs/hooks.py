"""MkDocs asks this module for one page a code, made from the rules."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from roofscan.rules.codes import CODES
from roofscan.rules.rule import Code

FOLDER = "codes"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Lists the pages beside those of mkdocs.yml."""
    assert config.nav is not None
    config.nav.append({"Codes": [path for path, _ in code_pages()]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, text in code_pages():
        files.append(File.generated(config, path, content=text))
    return files


def code_pages() -> Iterator[tuple[str, str]]:
    """The path of each page, and its Markdown."""
    for code in CODES.values():
        yield f"{FOLDER}/{code.id}.md", _page(code)


def _page(code: Code) -> str:
    state = "on" if code.default else "off: `--extend-select` it"
    return "\n\n".join(
        [
            f"# {code.id}: {code.title}",
            f"Stands on: {code.location}. By default: {state}.",
            f"## What it means\n\n{_paragraphs(code.meaning)}",
            f"## Why it matters\n\n{_paragraphs(code.why)}",
            f"## With the finding\n\n{_example(code.bad)}",
            f"## Without it\n\n{_example(code.good)}",
            f"## What to do\n\n{_paragraphs(code.action)}",
        ]
    )


def _paragraphs(text: str) -> str:
    return dedent(text).strip()


def _example(text: str) -> str:
    kind = "toml" if text.lstrip().startswith("[") else "python"
    return f"```{kind}\n{dedent(text).strip()}\n```"
