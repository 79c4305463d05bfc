"""RFL902: an option or a machine that roofscan cannot read."""

from __future__ import annotations

from roofscan.rules.rule import Code

CODE = Code(
    id="RFL902",
    title="an option or machine cannot be read",
    location="config",
    meaning="""
        An option of [tool.roofscan], of flake8's configuration or of the command line, or the machine file that
        it names, is not valid. The message names the key and what is wrong with it.""",
    why="""
        Without a valid machine there is no verdict. One such finding takes the place of all others, so that a
        misspelt option never looks like clean code.""",
    action="""
        Correct the key that the message names. "roofscan machine list" lists the machines, and "roofscan machine
        detect" writes a machine file to start from.""",
    bad="""
        [tool.roofscan]
        machine = "xeon-6284r"
        """,
    good="""
        [tool.roofscan]
        machine = "xeon-6248r"
        """,
)
