# SPDX-License-Identifier: GPL-3.0-or-later
"""Big scripts."""

from support import check, equal, scenario


@scenario()
def ten_thousand_clauses(world):
    """They compile and run in order."""
    clauses = "".join(f"BEGIN /n == {i}/ {{ n++; @[{i % 100}] = count(); }}\n" for i in range(10_000))
    script = world.path("big.d", f"int n;\n{clauses}BEGIN {{ printf(\"%d\\n\", n); exit(0); }}\nEND {{ trunc(@, 1); printa(\"%@d\\n\", @); }}\n")
    result = world.sonde("-q", "-s", script)
    equal(result.stdout.split(), ["10000", "100"], "clauses that ran, and the values of a key")


@scenario()
def one_long_clause(world):
    """20,000 statements in one body."""
    script = world.path("long.d", "int n;\nBEGIN {\n" + "n += 1;\n" * 20_000 + 'printf("%d\\n", n); exit(0); }\n')
    result = world.sonde("-q", "-s", script)
    check(result.stdout.startswith("20000\n"), result.stdout)
