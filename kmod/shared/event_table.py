#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Prints event.h as the table of docs/provider-interface.md; rows() returns it for the tests."""

import ast
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
AS_ROWS = """#include "kmod/shared/event.h"
#define KIND(name, selector, when, ...) {"name": #name, "selector": selector, "when": when, "roles": [__VA_ARGS__]},
#define ARG(kind, role, first, count, type, meaning) {"role": #role, "first": first, "count": count, "type": type, "meaning": meaning},
@rows@ [SONDE_TAP_KINDS(KIND, ARG)]
"""


def rows():
    """A dictionary for each kind of tap, in the order of enum sonde_tap_kind."""
    text = subprocess.run(["cc", "-E", "-P", "-I", ROOT, "-x", "c", "-"], input=AS_ROWS, text=True, check=True, capture_output=True).stdout
    return ast.literal_eval(text.partition("@rows@")[2].strip())


def place(role):
    first, last = role["first"], role["first"] + role["count"] - 1
    return f"`arg{first}`" if first == last else f"`arg{first}` to `arg{last}`"


def main():
    print("| event | selector | fires | arguments |\n|---|---|---|---|")
    for row in rows():
        roles = sorted(row["roles"], key=lambda role: role["first"])
        arguments = "; ".join(f"{place(role)} {role['role']} ({role['type']}): {role['meaning'].replace('; ', ', ')}" for role in roles)
        print(f"| {row['name']} | {row['selector']} | {row['when']} | {arguments or '-'} |")


if __name__ == "__main__":
    main()
