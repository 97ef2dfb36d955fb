#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that no merge has left its marks in a file, and that each link of a page leads to a file here and, behind #, to
a heading of it. With a folder as argument it checks that one: pages that are installed."""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
MARK = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: |$)", re.M)
CODE = re.compile(r"^(?: {4}|\t)[^\n]*$|^```(?s:.*?)^```$|`[^`\n]*`", re.M)
LINK = re.compile(r"\[[^\]\n]*\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)


def files():
    for path in sorted(ROOT.rglob("*")):
        place = path.relative_to(ROOT).parts
        if path.is_file() and place[0] not in ("build", ".git") and not path.is_symlink() and "__pycache__" not in place:
            yield path


@functools.cache
def anchors(page):
    """The headings of a page, as links name them."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(page.read_text(encoding="utf-8"))}


def wrong_links(page, text):
    for found in LINK.finditer(text):
        target = (page.parent / found[1]).resolve() if found[1] else page
        if not target.exists():
            yield f"no file {found[1]}"
        elif found[2] and target.suffix == ".md" and found[2] not in anchors(target):
            yield f"{found[1] or page.name} has no heading #{found[2]}"


def main():
    looked_at, links, wrong = 0, 0, []
    for path in files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        looked_at += 1
        place = path.relative_to(ROOT)
        wrong += [f"{place}:{text.count(chr(10), 0, mark.start()) + 1}: a mark of a merge" for mark in MARK.finditer(text)]
        if path.suffix == ".md":
            plain = CODE.sub("", text)
            links += len(LINK.findall(plain))
            wrong += [f"{place}: {what}" for what in wrong_links(path, plain)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"pages: {looked_at} files, {links} links, {len(wrong)} wrong")
    return 1 if wrong or looked_at < (1000 if len(sys.argv) == 1 else 50) or links < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
