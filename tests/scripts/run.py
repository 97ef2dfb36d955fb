#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs golden scripts: tst.<what>.d must print tst.<what>.out, to the byte.

Comments at the head of a script say how it is run:
    /* @sonde: -q -x aggsortkey */      options (default -q); the script comes by -s
    /* @arguments: 17 word */           macro arguments
    /* @status: 5 */                    exit status (default 0)
    /* @stderr: divide-by-zero */       text that standard error must contain (default: no message at all)
    /* @cpu: 0 */                       the CPU column differs from run to run: show this
--update rewrites the .out files with what was printed; review the difference.
"""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def directives(text):
    return dict(re.findall(r"^/\* @(\w+): *(.*?) *\*/$", text, re.M))


def run(binary, script):
    """(standard output, standard error, exit status, directives)."""
    said = directives(script.read_text())
    command = [str(binary), *shlex.split(said.get("sonde", "-q")), "-s", script.name,
               *shlex.split(said.get("arguments", ""))]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SONDE_", "DTRACE_"))}
    done = subprocess.run(command, cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", timeout=20, env=environment | {"TZ": "UTC", "LC_ALL": "C"}, check=False)
    out = done.stdout
    if "cpu" in said:
        out = re.sub(r"^[ \d]{2}\d(?= [ \d]{6} )", f"{said['cpu']:>3}", out, flags=re.M)
    err = re.sub(r"^\w+: script '.*' matched \d+ probes?\n", "", done.stderr, flags=re.M)
    return out, err, done.returncode, said


def complaints(script, out, err, status, said):
    wanted = script.with_suffix(".out").read_text()
    if out != wanted:
        yield f"printed:\n{out}---- instead of:\n{wanted}----"
    if status != int(said.get("status", 0)):
        yield f"exit status {status}"
    if "stderr" in said and said["stderr"] not in err or "stderr" not in said and err:
        yield f"on standard error:\n{err}----"


def check(binary, script, update):
    try:
        out, err, status, said = run(binary, script)
    except subprocess.TimeoutExpired:
        return ["took over 20 s"]
    if update:
        script.with_suffix(".out").write_text(out)
    return list(complaints(script, out, err, status, said))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=HERE.parents[1] / "build/bin/sonde")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("-k", metavar="TEXT", default="", help="only scripts whose name contains TEXT")
    parser.add_argument("scripts", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()

    scripts = arguments.scripts or sorted(p for p in HERE.glob("tst.*.d") if arguments.k in p.name)
    failed = 0
    for script in scripts:
        wrong = check(arguments.binary.resolve(), script.resolve(), arguments.update)
        failed += bool(wrong)
        for complaint in wrong:
            print(f"{script.name}: {complaint}")
    print(f"{len(scripts)} scripts, {failed} failed")
    return 1 if failed or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
