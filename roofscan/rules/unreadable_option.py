"""RFL902: an option or a machine that roofscan cannot read."""

from __future__ import annotations

from roofscan.rules.code import Code

CODE = Code(
    id="RFL902",
    title="an option or machine cannot be read",
    stands_at="config",
    default=True,
    meaning="""
        An option of [tool.roofscan], of flake8's configuration or of the command, or the machine file
        that it names, is not what roofscan expects there. The message names the key and what is wrong
        with it.""",
    why="""
        Nothing can be judged on a machine that is not known. One such line stands in for all findings,
        so that a misspelt option never looks like clean code.""",
    action="""
        Correct the key that is named. The machines are listed by "roofscan machine list"; a machine
        file explains its own format in generic-x86-64.toml.""",
    bad="""
        [tool.roofscan]
        machine = "xeon-6284r"
        """,
    good="""
        [tool.roofscan]
        machine = "xeon-6248r"
        """,
)
