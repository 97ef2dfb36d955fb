# SPDX-License-Identifier: GPL-3.0-or-later
"""-lv says where each argument stands: for each class of the calling convention the place as written here, and the value there."""

import dataclasses
import re
import shutil
import subprocess

from support import Skip, check, equal, patience, scenario


@dataclasses.dataclass
class Row:
    name: str
    types: str
    parameters: str
    values: str  # what the caller passes
    places: dict  # argument -> (place, expression of D, its value), or the reason why it is not known
    language: str = "c"
    compiler: str = ""  # only by this one
    level: str = ""  # only with this one
    result: str = ""  # "type = value"; its place is that of args[1] at the return


UNKNOWN_AVX = "unknown: whether it is passed in vector registers depends on -mavx"
LOST = "unknown: args[0] before it is not known"
VECTOR_AND_BOTH = "typedef char V32 __attribute__((vector_size(32))); struct Both { char c; double d; };"
ODD = "struct Odd { long a, b, c; }; union Loose { long double l; long a; } __attribute__((packed));"
ODD_VALUES = "(struct Odd){1, 2, 3}, (union Loose){.a = 44}, (struct Odd){5, 6, 7}"
STACKED = "long s0, long s1, long s2, long s3, long s4, long s5, "
ROWS = [
    Row("integers", "", "char c, short s, int i, long l", "1, 2, 3, 4", {0: ("%dil", "args[0]", 1), 1: ("%si", "args[1]", 2), 2: ("%edx", "args[2]", 3), 3: ("%rcx", "args[3]", 4)}),
    Row("reals", "", "float f, double d, int i", "1.5f, 2.5, 7", {0: ("%xmm0", "args[0]", 1.5), 1: ("%xmm1", "args[1]", 2.5), 2: ("%edi", "args[2]", 7)}),
    Row("pair", "struct Pair { long a, b; };", "struct Pair p, int k", "(struct Pair){11, 22}, 33", {0: ("%rdi %rsi", "args[0].b", 22), 1: ("%edx", "args[1]", 33)}),
    Row("mixed", "struct Mixed { long a; double b; };", "struct Mixed m, int k", "(struct Mixed){11, 2.5}, 33",
        {0: ("%rdi %xmm0", "args[0].b", 2.5), 1: ("%esi", "args[1]", 33)}),
    Row("triple", "struct Triple { long a, b, c; };", "int k, struct Triple t", "33, (struct Triple){1, 2, 3}", {0: ("%edi", "args[0]", 33), 1: ("stack, CFA+0, 24 bytes", "args[1].c", 3)}),
    Row("stacked", "", STACKED + "int i, char c", "0, 1, 2, 3, 4, 5, 66, 77", {5: ("%r9", "args[5]", 5), 6: ("stack, CFA+0, 4 bytes", "args[6]", 66), 7: ("stack, CFA+8, 1 byte", "args[7]", 77)}),
    Row("wide", "", "int k, __int128 w", "33, ((__int128)5 << 64) + 6", {1: ("%rsi %rdx", "((uint64_t *)&args[1])[1]", 5)}),
    Row("split", "", "long a, long b, long c, long d, long e, __int128 w, int k", "0, 1, 2, 3, 4, ((__int128)5 << 64) + 6, 33",
        {5: ("stack, CFA+0, 16 bytes", "((uint64_t *)&args[5])[1]", 5), 6: ("%r9d", "args[6]", 33)}, compiler="gcc"),
    Row("split", "", "long a, long b, long c, long d, long e, __int128 w, int k", "0, 1, 2, 3, 4, ((__int128)5 << 64) + 6, 33",
        {5: ("%r9 stack, CFA+0, 8 bytes", "((uint64_t *)&args[5])[1]", 5), 6: ("stack, CFA+8, 4 bytes", "args[6]", 33)}, compiler="clang"),
    Row("vector", "typedef int V16 __attribute__((vector_size(16)));", "V16 v, float f", "(V16){1, 2, 3, 4}, 2.5f", {0: ("%xmm0", "((int *)&args[0])[3]", 4), 1: ("%xmm1", "args[1]", 2.5)}),
    Row("half", "typedef int V8 __attribute__((vector_size(8)));", "V8 v", "(V8){1, 2}", {0: ("%xmm0", "((int *)&args[0])[1]", 2)}),
    Row("behind_a_vector", VECTOR_AND_BOTH, "V32 v, int i, struct Both b, char c", "(V32){1}, 22, (struct Both){3, 4.5}, 55",
        {0: UNKNOWN_AVX, 1: ("%edi", "args[1]", 22), 2: LOST, 3: LOST}, compiler="clang"),
    Row("behind_a_vector", VECTOR_AND_BOTH, "V32 v, int i, struct Both b, char c", "(V32){1}, 22, (struct Both){3, 4.5}, 55",
        {0: ("stack, CFA+0, 32 bytes", "((char *)&args[0])[0]", 1), 1: ("%edi", "args[1]", 22), 2: LOST}, compiler="gcc"),
    Row("extended", "", "long double l, int k", "2.5L, 33", {0: ("stack, CFA+0, 16 bytes", "((uint64_t *)&args[0])[0] >> 60", 10), 1: ("%edi", "args[1]", 33)}),
    Row("complex", "", "_Complex float f, _Complex double d, int k", "1.5f, 2.5, 33",
        {0: ("%xmm0", "((float *)&args[0])[0]", 1.5), 1: ("%xmm1 %xmm2", "((double *)&args[1])[0]", 2.5), 2: ("%edi", "args[2]", 33)}),
    Row("complex_extended", "", "_Complex long double l, int k", "2.5L, 33", {0: ("stack, CFA+0, 32 bytes", "((uint64_t *)&args[0])[0] >> 60", 10), 1: ("%edi", "args[1]", 33)}),
    Row("bits", "struct Bits { unsigned a : 3, b : 11; long c : 33; };", "struct Bits b, int k", "(struct Bits){5, 1000, 77}, 33", {0: ("%rdi", "args[0].b", 1000), 1: ("%esi", "args[1]", 33)}),
    Row("more_bits", "struct MoreBits { long a : 40, b : 40; };", "struct MoreBits b", "(struct MoreBits){5, 77}", {0: ("%rdi %rsi", "args[0].b", 77)}),
    Row("packed", "struct Packed { char c; long l; } __attribute__((packed));", "struct Packed p, int k", "(struct Packed){1, 22}, 33", {0: ("stack, CFA+0, 9 bytes", "args[0].l", 22), 1: ("%edi", "args[1]", 33)}),
    Row("odd", ODD, "struct Odd o, union Loose u, struct Odd p", ODD_VALUES,
        {0: ("stack, CFA+0, 24 bytes", "args[0].c", 3), 1: "unknown: its place depends on whether its type is packed", 2: "unknown: args[1] before it has a place"}, compiler="clang", level="-O0"),
    Row("odd", ODD, "struct Odd o, union Loose u, struct Odd p", ODD_VALUES,
        {0: ("stack, CFA+0, 24 bytes", "args[0].c", 3), 1: ("stack, CFA+24, 16 bytes", "args[1].a", 44), 2: ("stack, CFA+40, 24 bytes", "args[2].c", 7)}, compiler="clang", level="-O2"),  # DWARF says it
    Row("odd", ODD, "struct Odd o, union Loose u, struct Odd p", ODD_VALUES,
        {0: ("stack, CFA+0, 24 bytes", "args[0].c", 3), 1: ("stack, CFA+24, 16 bytes", "args[1].a", 44), 2: ("stack, CFA+40, 24 bytes", "args[2].c", 7)}, compiler="gcc"),
    Row("small_array", "struct Small { char c[3]; };", "struct Small s", "(struct Small){{7, 8, 9}}", {0: ("%rdi", "args[0].c[2]", 9)}),
    Row("quad", "struct Quad { __float128 q; };", "struct Quad q, int k", "(struct Quad){1}, 33", {0: ("%xmm0", "((uint64_t *)&args[0])[1] >> 48", 0x3fff), 1: ("%edi", "args[1]", 33)}, compiler="gcc"),
    Row("class_by_reference", "struct Held { long a; Held(long to) : a(to) {} Held(const Held &o) : a(o.a) {} };", "Held h, int k", "Held(44), 33",
        {0: ("at (%rdi), 8 bytes", "args[0].a", 44), 1: ("%esi", "args[1]", 33)}, "c++"),
    Row("class_on_the_stack", "struct Kept { long a; Kept(long to) : a(to) {} ~Kept() { a = 0; } };", STACKED + "Kept h", "0, 1, 2, 3, 4, 5, Kept(44)",
        {6: ("at the address in the stack, CFA+0, 8 bytes", "args[6].a", 44)}, "c++"),
    Row("empty_class", "struct Nothing {};", "Nothing n, int k", "Nothing(), 33", {0: "unknown: an empty class is not passed", 1: ("%edi", "args[1]", 33)}, "c++"),
    Row("derived", "struct Base { int a; }; struct Derived : Base { float b; };", "Derived d, int k", "make_derived(44), 33", {0: ("%rdi", "args[0].a", 44), 1: ("%esi", "args[1]", 33)}, "c++"),
    Row("reference", "", "const int &r, int k", "0, 33", {0: ("%rdi", "*args[0]", 0), 1: ("%esi", "args[1]", 33)}, "c++"),
    Row("hidden_result", "struct Result { long a, b, c; };", "int k", "33", {0: ("%esi", "args[0]", 33)}, result="struct Result = {1, 2, 3}"),
]
TYPES = {"derived": "static Derived make_derived(int a) { Derived d; d.a = a; d.b = 0; return d; }\n"}


def source_of(rows):
    text, calls = "static volatile int sink;\n__attribute__((noinline)) static void look(const void *p, long n) { while (n-- > 0) sink += ((const volatile char *)p)[n]; }\n", ""
    for row in rows:
        names = [re.search(r"(\w+)$", one).group(1) for one in row.parameters.split(", ")]
        kind, _, value = row.result.partition(" = ")
        looks = " ".join(f"look(&{name}, sizeof {name});" for name in names)
        text += f"{row.types}\n{TYPES.get(row.name, '')}__attribute__((noinline)) {kind or 'void'} {row.name}({row.parameters}) {{ {looks} {f'{kind} r = {value}; return r;' if kind else ''} }}\n"
        calls += f"  {row.name}({row.values});\n"
    return text + f"int main(void) {{\n{calls}  return 0;\n}}\n"


def built(world, rows, compiler, language, level):
    source = world.path(f"places.{'cpp' if language == 'c++' else 'c'}", source_of(rows))
    program = world.path(f"places-{compiler}{level}")
    done = subprocess.run([compiler, "-w", "-g", level, "-o", program, source], stderr=subprocess.PIPE, text=True, timeout=120 * patience)
    equal(done.returncode, 0, done.stderr)
    return program


def check_places(world, program, rows, what):
    functions = ",".join(f"pid$target:a.out:{row.name}:entry" for row in rows)
    listed = world.sonde("-lv", "-n", functions, "-c", program).stdout
    told, now = {}, ""
    for line in listed.splitlines():
        if re.match(r" *\d+ +pid\d", line):
            now = line.split(None, 3)[3].removesuffix(" entry").partition("(")[0].strip()
        if found := re.match(r"\t\targs\[(\d+)\]: .*?  \((.*)\)$", line):
            told[now, int(found.group(1))] = found.group(2)
    clauses, wanted = "", []
    for row in rows:
        for argument, place in row.places.items():
            here = told.get((row.name, argument), "not listed")
            if isinstance(place, str):
                check(here.startswith(place), f"{what}: {row.name}'s args[{argument}] is {here!r}, wanted {place!r}")
                continue
            equal(here, place[0], f"{what}: {row.name}'s args[{argument}]")
            real = isinstance(place[2], float)
            clauses += f'pid$target:a.out:{row.name}:entry {{ printf("{row.name} {argument} {"%f" if real else "%d"}\\n", {place[1] if real else f"(int64_t)({place[1]})"}); }}\n'
            wanted.append(f"{row.name} {argument} {place[2]:f}" if real else f"{row.name} {argument} {place[2]}")
    result = world.sonde("-q", "-s", world.path("places.d", clauses), "-c", program)
    equal(sorted(line for line in result.stdout.splitlines() if line), sorted(wanted), f"{what}: values")
    equal(result.stderr, "", what)


@scenario(only="ptrace", why="the module reads the same locations by the same function")
def places_of_each_class(world):
    """Registers, memory, 16 bytes, vectors, x87, complex numbers, bit fields, packed, classes of C++: what -lv says, and what is there."""
    compilers = [(one, language) for one, language in (("gcc", "c"), ("g++", "c++"), ("clang", "c"), ("clang++", "c++")) if shutil.which(one)]
    if not compilers:
        raise Skip("no compiler")
    for compiler, language in compilers:
        mine = [row for row in ROWS if row.language == language and (not row.compiler or compiler.startswith(row.compiler))]
        for level in ("-O0", "-O2"):
            rows = [row for row in mine if row.level in ("", level)]
            check_places(world, built(world, rows, compiler, language, level), rows, f"{compiler} {level}")
