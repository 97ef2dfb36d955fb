#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the manual pages of section 7, which packaging/man/pages makes from docs/: each folder of providers/ has a page, each page of
docs/language is a section of sonde-d(7), man shows each without a warning in 80 columns (as lintian asks it), finds its name and sentence, and what one
page names of Sonde's pages is there. With a folder as argument it checks that one, of installed pages: there, those of section 1, too."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMED = re.compile(r"\b(sonde(?:-[a-z]+)*) ?\(([17])\)")
wrong = []


def expect(holds, what):
    if not holds:
        wrong.append(what)


def run(*argv, **more):
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=120, **more)
    return done.stdout, done.stderr


def source_of(path):
    return (gzip.open(path, "rt") if path.suffix == ".gz" else path.open(encoding="utf-8")).read()


def plain(source):
    """The source without fonts and escaped hyphens."""
    return re.sub(r"\\f(\[\w*\]|.)", "", source.replace(r"\-", "-"))


def look_at(path, there):
    """A page: its warnings, its name, and the pages that it names. `there`: names that a page has, as sonde-d(7)."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"}
    shown, said = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", path, cwd=path.parents[1], env=environment)
    expect(said == "" and len(shown) > 500, f"{path.name}: {said or 'man shows nothing'}")
    found, said = run("lexgrog", path, cwd=path.parents[1])
    expect(" - " in found and said == "", f"{path.name}: it has no name: {found}{said}")
    for name, section in NAMED.findall(plain(source_of(path))):
        expect(f"{name}({section})" in there, f"{path.name} names {name}({section}), which is not there")


def look_at_folder(folder, others):
    pages = sorted(path for path in folder.glob("man[17]/sonde*"))
    there = others | {re.sub(r"\.([17])(\.gz)?$", r"(\1)", path.name) for path in pages}
    for path in pages:
        look_at(path, there)
    for provider in sorted(path.name for path in (ROOT / "providers").iterdir() if path.is_dir()):
        expect(f"sonde-{provider}(7)" in there, f"providers/{provider} has no manual page: a row in docs/providers.md and a page in docs/providers make it")
    language = next((path for path in pages if path.name.startswith("sonde-d.7")), None)
    sections = re.findall(r"^\.SH (.*)$", plain(source_of(language)), re.M) if language else []
    for page in sorted((ROOT / "docs/language").glob("[a-z]*.md")):
        title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").upper()
        expect(title in sections, f"sonde-d(7) has no section {title}: a row in docs/language/README.md makes it of {page.name}")
    expect(len(pages) > 10, f"{folder}: {len(pages)} pages")
    return len(pages)


def main():
    for tool in ("pandoc", "man"):
        if not shutil.which(tool):
            print("skipped: no pandoc: pandoc" if tool == "pandoc" else "skipped: no man: man-db")
            return 77
    with tempfile.TemporaryDirectory(prefix="sonde-manuals-") as name:
        folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else name)
        others = set()
        if len(sys.argv) == 1:
            said = run(ROOT / "packaging/man/pages", folder, "/usr/share/doc/sonde/docs", "0")[1]
            expect(said == "", said)
            others = {"sonde(1)"} | {f"sonde-{tool.stem}(1)" for tool in (ROOT / "tools").glob("*.d") if not tool.is_symlink()}
        count = look_at_folder(folder, others)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"manuals: {count} pages, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
