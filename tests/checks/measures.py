#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of the product's code: the length of its functions and files, and the share of comments.

usage: measures.py [--tree FOLDER] [--since COMMIT]
  --tree    another checkout, for comparison
  --since   only the commits after COMMIT, for the last two lines

Needs universal-ctags. Tests are not counted: only the code that a newcomer reads to understand sonde.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("cli", "compiler", "kmod", "providers", "runtime")
KINDS = {".h": "headers", ".cpp": ".cpp", ".c": ".c"}
LONG = 60  # lines; longer functions are counted separately


def lines_of(text):
    """(lines of code, lines of only comment); a line with both is code."""
    code = comment = 0
    inside = False
    for line in text.splitlines():
        rest = line.strip()
        if not rest:
            continue
        if inside:
            comment += 1
            inside = "*/" not in rest
        elif rest.startswith("//"):
            comment += 1
        elif rest.startswith("/*"):
            end = rest.find("*/", 2)
            inside = end < 0
            if inside or not rest[end + 2:].strip():
                comment += 1
            else:
                code += 1
        else:
            code += 1
            begin = rest.rfind("/*")
            inside = begin >= 0 and "*/" not in rest[begin:] and '"' not in rest[begin:]
    return code, comment


def functions_of(tree, files):
    """The lengths of all functions, in lines, and the place of the longest."""
    found = subprocess.run(["ctags", "-x", "--kinds-C=f", "--kinds-C++=f", "--langmap=C++:+.h", "--_xformat=%n %{end} %F %N", "-L", "-"],
                           input="\n".join(map(str, files)), cwd=tree, text=True, check=True, stdout=subprocess.PIPE).stdout
    lengths = []
    for line in found.splitlines():
        first, last, path, name = line.split(None, 3)
        if last.isdigit():
            lengths.append((int(last) - int(first) + 1, f"{path}: {name}"))
    return sorted(lengths)


def history(tree, since):
    """(number of commits, of those without a body, of files in the median commit); without merges."""
    span = f"{since}..HEAD" if since else "HEAD"
    log = subprocess.run(["git", "log", "--no-merges", "--name-only", "--format=%x01%b%x02", span], cwd=tree, text=True, check=True,
                         stdout=subprocess.PIPE).stdout
    commits = [one.split("\2") for one in log.split("\1")[1:]]
    files = [len(names.split()) for _, names in commits]
    return len(commits), sum(not body.strip() for body, _ in commits), statistics.median(files) if files else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT)
    parser.add_argument("--since", default="")
    arguments = parser.parse_args()
    tree = arguments.tree
    files = sorted(path.relative_to(tree) for room in ROOMS for path in (tree / room).rglob("*") if path.suffix in KINDS)
    sizes, shares = [], {}
    for path in files:
        code, comment = lines_of((tree / path).read_text(encoding="utf-8"))
        sizes.append((code + comment, str(path)))
        room = "kmod " if path.parts[0] == "kmod" else ""
        for key in (room + KINDS[path.suffix], "all"):
            sums = shares.setdefault(key, [0, 0])
            sums[0] += code
            sums[1] += comment
    lengths = functions_of(tree, files)
    only = [length for length, _ in lengths]
    sizes.sort()
    print(f"lines of code            {shares['all'][0]}, in {len(files)} files")
    print(f"functions                {len(only)}: median {statistics.median(only):.0f} lines, 90% within {only[len(only) * 9 // 10]}, "
          f"{sum(length > LONG for length in only)} above {LONG}; longest {lengths[-1][0]}, {lengths[-1][1]}")
    print(f"files                    median {statistics.median(size for size, _ in sizes):.0f} lines; largest {sizes[-1][0]}, {sizes[-1][1]}")
    for key in sorted(set(shares) - {"all"}):
        code, comment = shares[key]
        print(f"comment, {key:15} {100 * comment / (code + comment):.0f}% of {code + comment} lines")
    commits, mute, median = history(tree, arguments.since)
    print(f"commits                  {commits}, {mute} without a body; {median:.0f} files in the median one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
