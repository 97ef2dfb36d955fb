# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws mutants of the product at random, by operator, for mutants.py --sample. Those of its list are where somebody looked; these are
anywhere.

    flip      a < b     becomes  a >= b        drop   f(a);     becomes nothing
    off by 1  a + 1     becomes  a             swap   f(a, b)   becomes f(b, a)
    negate    if (a)    becomes  if (!(a))

Only code inside of functions is drawn; what the compiler does not accept is left out. reach.py finds the tests that could notice."""

import random
import re

FOLDERS = ("cli", "compiler", "providers", "runtime")
WORD = r"[A-Za-z_][\w.]*(?:->\w+)*"
FLIPS = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
OPERATORS = {
    "flip": (re.compile(rf"(?<=\()({WORD}|\d+) (<|>|<=|>=|==|!=|&&|\|\|) ({WORD}|\d+)(?=\))"), lambda m: f"{m[1]} {FLIPS[m[2]]} {m[3]}", False),
    "negate": (re.compile(rf"(?<=\bif \()!?{WORD}(?:\(\w*\))?(?=\))"), lambda m: f"!({m[0]})", False),
    "off by 1": (re.compile(rf"(?<!sizeof )(?<![\w.>]){WORD} [+-] 1\b(?=[;,)\]])"), lambda m: m[0][:-4], False),
    "swap": (re.compile(rf"(?<=[\w>]\()({WORD}), ({WORD})(?=\);)"), None, True),
    "drop": (re.compile(rf"(?<=\n)( {{2,}})(?!return|throw|delete|using|case|default|break|continue|goto)({WORD}(?:\([^;{{}}\n]*\)| [+|&-]?= [^;{{}}\n]*|\+\+|--)|\+\+{WORD});(?=\n)"), lambda m: "", True),
}


def inside_a_function(text, at):
    """Whether a line before it begins a body: it is indented, and the last line that is not ends in a brace of a function."""
    for line in reversed(text[:at].split("\n")[:-1]):
        if line and line[0] not in " \t}#/":
            return bool(re.search(r"\)[^;]*\{$", line)) and "constexpr" not in line and "static_assert" not in line
        if line.startswith("}"):
            return False
    return False


def statement_around(text, at):
    """(begin, end) of the line's statement, without its indentation; None: it is part of a longer one."""
    begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    line = text[begin:end]
    whole = re.fullmatch(r"\s*(?!return|if|for|while|else|const|auto|case)[\w.:>()-]+\(.*\);", line)
    return (begin + len(line) - len(line.lstrip()), end) if whole else None


def places(file, text):
    """(operator, begin, end, replacement, whether it is a statement) of every mutant of a file."""
    for name, (pattern, becomes, statement) in OPERATORS.items():
        for found in pattern.finditer(text):
            if not inside_a_function(text, found.start()) or "constexpr" in text[text.rfind("\n", 0, found.start()):found.end()]:
                continue
            begin, end = found.span()
            if name == "drop":
                yield name, found.start(2), end, "", statement
            elif name == "swap":
                around = statement_around(text, begin)
                if around and found[1] != found[2]:
                    line = text[around[0]:around[1]]
                    yield name, *around, line.replace(found[0], f"{found[2]}, {found[1]}", 1), statement
            else:
                yield name, begin, end, becomes(found), statement


def draw(root, count, seed):
    """`count` mutants of different places: [(file, operator, begin, end, replacement, whether it is a statement)]. An operator is drawn first, so
    that the frequent ones do not crowd out the others."""
    by_operator = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.cpp")):
            file = str(path.relative_to(root))
            for name, *place in places(file, path.read_text(encoding="utf-8")):
                by_operator.setdefault(name, []).append((file, name, *place))
    generator = random.Random(seed)
    chosen = []
    while len(chosen) < count and by_operator:
        name = generator.choice(sorted(by_operator))
        left = by_operator[name]
        one = left.pop(generator.randrange(len(left)))
        if not left:
            del by_operator[name]
        if not any(one[0] == other[0] and one[2] < other[3] and other[2] < one[3] for other in chosen):
            chosen.append(one)
    return chosen


def near(root, file):
    """The programs of unit tests of a file's folder, or of the nearest above it that has some."""
    tests = dict(re.findall(r"^sonde_test\((\w+) (?:TRACES )?DIR (\S+)", (root / "tests/CMakeLists.txt").read_text(encoding="utf-8"), re.M))
    folder = file.rpartition("/")[0]
    while folder and folder not in tests.values():
        folder = folder.rpartition("/")[0]
    return [name for name, of in tests.items() if of == folder]
