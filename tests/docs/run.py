#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the examples of docs/language, docs/providers, docs/output.md and docs/tutorial.md: sonde must do what a page shows.

    ```d [options]       a script, run by `sonde -q [options] -s`; a word `-e` only compiles it
    ```output            after it: the output, on standard output and then on standard error
    ```console           a line `$ COMMAND` for a shell, and below what it prints
Without an output block the script must run without a message. `...` in an output block stands for anything.
Every function, variable, option, aggregating function and error tag of the tables must be named on some page of docs/language.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/language"
PROVIDERS = ROOT / "docs/providers"
OTHERS = [ROOT / "docs/output.md", ROOT / "docs/tutorial.md"]
BLOCK = re.compile(r"^```(\w+)(.*)\n((?:(?!```).*\n)*)```\n", re.M)
TABLES = {"runtime/lang/functions.h": r'^\s*\{"([a-z]\w*)",', "runtime/lang/variables.h": r'^\s*\{"([a-z]\w*)",',
          "runtime/lang/options.h": r'^\s*\{"(\w+)", OptionKind', "runtime/agg/functions.h": r'^\s*\{"(\w+)", "void'}


def examples(page):
    """(line, options, script, output or None); of a command for a shell, options is None"""
    text = page.read_text()
    blocks = list(BLOCK.finditer(text))
    for i, block in enumerate(blocks):
        line = text.count("\n", 0, block.start()) + 1
        if block[1] == "console":
            command, output = block[3].split("\n", 1)
            yield line, None, command.removeprefix("$ "), output
        if block[1] != "d":
            continue
        follows = i + 1 < len(blocks) and blocks[i + 1][1] == "output"
        near = follows and "```" not in text[block.end():blocks[i + 1].start()]
        yield line, block[2].strip(), block[3], blocks[i + 1][3] if near else None


def fits(found, wanted):
    """Whether they are the same, except for trailing blanks and empty lines at the ends. A line `...` stands for any
    lines, or none."""
    def plain(text):
        return "".join(line.rstrip() + "\n" for line in text.strip("\n").split("\n"))
    pattern = ""
    for line in plain(wanted).splitlines():
        inside = "[^\n]*".join(re.escape(part) for part in line.split("..."))
        pattern += r"(?:[^\n]*\n)*" if line == "..." else inside + "\n"
    return re.fullmatch(pattern, plain(found)) is not None


def run(binary, options, script):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SONDE_", "DTRACE_"))} | {"TZ": "UTC", "LC_ALL": "C"}
    if options is None:
        environment |= {"PATH": f"{binary.parent}:{environment['PATH']}", "SONDE_TOOL_PATH": str(ROOT / "tools")}
        with tempfile.TemporaryDirectory(prefix="sonde-docs-") as folder:
            done = subprocess.run(["sh", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=60, env=environment, check=False, start_new_session=True)
        return done.stdout, ""
    words = shlex.split(options)
    quiet = [] if "-e" in words or "-F" in words else ["-q"]
    with tempfile.TemporaryDirectory(prefix="sonde-docs-") as folder:
        (pathlib.Path(folder) / "example.d").write_text(script)
        done = subprocess.run([binary, *quiet, "-s", "example.d", *words], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=60, env=environment, check=False,
                              start_new_session=True)
        crash = f"ended by signal {-done.returncode}\n" if done.returncode < 0 else ""
        return done.stdout, crash + re.sub(r"^sonde: script '.*' matched \d+ probes?\n", "", done.stderr, flags=re.M)


def check(binary, page, line, options, script, output):
    try:
        out, err = run(binary, options, script)
    except subprocess.TimeoutExpired:
        return f"{page.name}:{line}: took over 60 s"
    if output is None and not err or output is not None and fits(out + err, output):
        return None
    return f"{page.name}:{line}: prints\n{out}{err}"


def unnamed():
    text = "\n".join(page.read_text() for page in PAGES.glob("*.md"))
    for table, pattern in TABLES.items():
        for name in re.findall(pattern, (ROOT / table).read_text(), re.M):
            if not re.search(rf"\b{name}\b", text):
                yield f"{table}: no page names {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "build/bin/sonde")
    parser.add_argument("-k", metavar="TEXT", default="", help="only pages whose name contains TEXT")
    arguments = parser.parse_args()
    work = [(arguments.binary.resolve(), page, *example) for page in sorted([*PAGES.glob("*.md"), *PROVIDERS.glob("*.md"), *OTHERS]) if arguments.k in page.name
            for example in examples(page)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [complaint for complaint in pool.map(lambda one: check(*one), work) if complaint]
    wrong += [] if arguments.k else list(unnamed())
    print("\n".join(wrong + [f"{len(work)} examples, {len(wrong)} complaints"]))
    return 1 if wrong or not work else 0


if __name__ == "__main__":
    sys.exit(main())
