# SPDX-License-Identifier: GPL-3.0-or-later
"""Integers of every type, size and sign, as keys and as values: each place that prints one prints the number. Columns of keys are
DTrace's: there the size alone says whether a key has a sign, and the order never has one."""

import csv
import io
import json
import re
import shutil
import subprocess

from stock_kernel import SOURCE, need_it
from support import Skip, equal, patience, scenario

# name, what C and D call it, bits, signed
TYPES = [(name, name, bits, signed) for name, bits, signed in (
    ("char", 8, True), ("signed char", 8, True), ("unsigned char", 8, False), ("short", 16, True), ("unsigned short", 16, False),
    ("int", 32, True), ("unsigned int", 32, False), ("long", 64, True), ("unsigned long", 64, False), ("int8_t", 8, True),
    ("int16_t", 16, True), ("int32_t", 32, True), ("uint16_t", 16, False), ("uint32_t", 32, False))]
# of the program alone
OF_PROGRAM = [("degrees", "degrees", 16, True), ("enum level", "enum level", 32, True), ("bits", "int", 5, True), ("flags", "unsigned int", 5, False)]
LINE = re.compile(r"^ +(-?\d+) +(\d+)$")


def values(bits, signed):
    """At the ends, around zero, and one that no narrower type has."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return sorted({low, low + 1, high, max(low, min(-7, high)), 0, 1, min(high, 100)})


def in_columns(numbers, bits):
    """Keys of a type of that many bits, as columns show them, in their order."""
    bits = max(bits, 8)
    words = sorted(number & ((1 << bits) - 1) for number in numbers)
    return words if bits < 32 else [word - ((word >> (bits - 1)) << bits) for word in words]


def in_order(numbers, bits):
    """The same numbers in the order of keys."""
    return sorted(numbers, key=lambda number: number & ((1 << max(bits, 8)) - 1))


def literal(type_name, number, bits):
    """D has no negative literals of 64 bits, and none below that of the least."""
    return f"({type_name})0x{number & ((1 << max(bits, 8)) - 1):x}"


def columns(text):
    return [int(found.group(1)) for line in text.splitlines() if (found := LINE.match(line))]


def clauses_of(rows):
    """For each number: traced, printed, kept in variables and elements, counted."""
    text = ""
    for n, (_name, type_name, bits, signed) in enumerate(rows):
        for number in values(bits, signed):
            one = literal(type_name, number, bits)
            text += (f"BEGIN {{ this->t{n} = {one}; g{n} = {one}; self->s{n} = {one}; e{n}[{one}] = {one};\n"
                     f'  printf("{n} %d %d %d %d %d", {one}, this->t{n}, g{n}, self->s{n}, e{n}[{one}]); printf(" "); trace({one}); printf("\\n");\n'
                     f"  @k{n}[{one}] = count(); @p{n}[{one}, \"x\"] = count(); @least{n} = min({one}); }}\n")
        text += f'BEGIN {{ printa("@{n} %d\\n", @p{n}); }}\n'
    return text + "BEGIN { exit(0); }\n"


@scenario()
def integers_print_their_number(world):
    """Types x values x places, without a program: columns, printa, printf, trace, variables, elements, lines of JSON, CSV."""
    script = world.path("integers.d", clauses_of(TYPES))
    text = world.sonde("-q", "-x", "aggsortkey", "-s", script).stdout
    lines = text.splitlines()
    wanted = [[n, number] for n, row in enumerate(TYPES) for number in values(*row[2:])]
    traced = [line.split() for line in lines if re.match(r"\d", line)]
    equal(traced, [[str(n)] + [str(number)] * 6 for n, number in wanted], "printf() and trace()")
    equal([line.split() for line in lines if line.startswith("@")], [[f"@{n}", str(number)] for n, row in enumerate(TYPES) for number in in_order(values(*row[2:]), row[2])], "printa(), in order")
    equal(columns(text), [key for row in TYPES for key in in_columns(values(*row[2:]), row[2])], "keys in columns, in their order")
    as_lines = [json.loads(line) for line in world.sonde("-q", "-s", script, "--format=jsonl").stdout.splitlines()]
    keys = sorted([int(one["agg"][1:]), int(one["keys"][0])] for one in as_lines if one["type"] == "agg" and one["agg"].startswith("k"))
    equal(keys, wanted, "keys in lines of JSON")
    shown = [one["args"] for one in as_lines if one["type"] == "record" and one["action"] == "trace"]
    equal([[int(number) for number in one] for one in shown], [[number] for _, number in wanted], "trace() in lines of JSON")
    table = csv.DictReader(io.StringIO(world.sonde("-q", "-s", script, "--format=csv").stdout))
    keys = sorted([int(one["agg"][1:]), int(one["key0"])] for one in table if re.fullmatch(r"k\d+", one["agg"]))
    equal(keys, wanted, "keys in CSV")


@scenario()
def an_integer_key_has_room_for_all_its_uses(world):
    """No use of an aggregation or array cuts the key of another, in whatever order they come."""
    of = {8: "char", 16: "short", 32: "int", 64: "long"}
    for bits in of:
        for other in of:
            least, most = -(1 << (bits - 1)), (1 << (other - 1)) - 1
            one, two = literal(of[bits], least, bits), literal(of[other], most, other)
            script = (f"BEGIN {{ @[{one}] = count(); @[{two}] = count(); a[{one}] = 1; a[{two}] = 2; self->a[{one}] = 3; self->a[{two}] = 4;\n"
                      f'  printf("%d %d %d %d\\n", a[{one}], a[{two}], self->a[{one}], self->a[{two}]); exit(0); }}')
            result = world.sonde("-q", "-x", "aggsortkey", "-n", script).stdout
            equal(result.splitlines()[0], "1 2 3 4", f"elements by {of[bits]} and {of[other]}")
            equal(columns(result), in_columns([least, most], max(bits, other)), f"keys of {of[bits]} and {of[other]}")
    mixed = world.sonde("-q", "-x", "aggsortkey", "-n", "BEGIN { @[(unsigned int)4000000000] = count(); @[(char)-3] = count(); exit(0); }")
    equal(columns(mixed.stdout), [4000000000, -3], "an unsigned type and a narrower one with a sign")


def program_of(rows):
    """f0, f1, ... have each number as argument, as result, and in a structure."""
    text = "#include <stdint.h>\n#define N __attribute__((noinline, noclone))\ntypedef short degrees;\nenum level { LOW = -2147483647 - 1, HIGH = 2147483647 };\n"
    calls = ""
    for n, (name, type_name, bits, signed) in enumerate(rows):
        width = f" : {bits}" if name in ("bits", "flags") else ""
        text += (f"struct s{n} {{ {type_name} m{width}; }};\n"
                 f"N {type_name} f{n}({type_name} a, struct s{n} *p) {{ __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); return a; }}\n")
        for number in values(bits, signed):
            bits_of_number = f"({type_name}){number & ((1 << 64) - 1)}u" if not signed else f"({type_name})({number + 1} - 1)"
            calls += f"  {{ struct s{n} s = {{ {bits_of_number} }}; f{n}({bits_of_number}, &s); }}\n"
    return text + "int main(void) {\n" + calls + "  return 0;\n}\n"


def count_integers_of_a_program(world, *source_options):
    if not shutil.which("gcc"):
        raise Skip("no gcc")
    rows = TYPES + OF_PROGRAM
    source, built = world.path("integers.c", program_of(rows)), world.path("integers")
    subprocess.run(["gcc", "-w", "-g", "-O1", "-o", built, source], check=True, timeout=60 * patience)
    script = ""
    for n in range(len(rows)):
        script += (f"pid$target:a.out:f{n}:entry {{ @a{n}[args[0]] = count(); @m{n}[args[1]->m] = count();\n"
                   f'  printf("{n} %d %d\\n", args[0], args[1]->m); }}\n'
                   f"pid$target:a.out:f{n}:return {{ @r{n}[args[1]] = count(); }}\n")
    # one aggregation after the other, each by its keys
    script += "END { " + "".join(f'printa("@{kind}{n} %d\\n", @{kind}{n}); printa(@{kind}{n});\n' for n in range(len(rows)) for kind in "amr") + "}\n"
    text = world.sonde("-q", *source_options, "-x", "aggsortkey", "-s", world.path("keys.d", script), "-c", built).stdout
    wanted = [(n, number) for n, row in enumerate(rows) for number in values(*row[2:])]
    equal([line for line in text.splitlines() if re.match(r"\d", line)], [f"{n} {number} {number}" for n, number in wanted], "printf()")
    keys = [(f"@{kind}{n}", 32 if row[0] in ("bits", "flags") else row[2], values(*row[2:])) for n, row in enumerate(rows) for kind in "amr"]
    inside = [(name, number) for name, bits, numbers in keys for number in in_order(numbers, bits)]
    equal([line for line in text.splitlines() if line.startswith("@")], [f"{name} {number}" for name, number in inside], "printa()")
    equal(columns(text), [key for _, bits, numbers in keys for key in in_columns(numbers, bits)], "columns")


@scenario()
def integers_of_a_program_are_keys(world):
    """Arguments, results, members and bit-fields, of typedefs and enumerations too, by the types that its DWARF has."""
    count_integers_of_a_program(world)


@scenario()
def integers_of_a_program_are_keys_on_a_stock_kernel(world):
    """The same from programs in the kernel."""
    need_it(world)
    count_integers_of_a_program(world, *SOURCE)
