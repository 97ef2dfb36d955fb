# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of functions with random signatures, whose callers print what they pass.

A parameter has leaves: the scalars that it is made of. Before a call the caller prints `NAME K: BITS ...` for each
parameter K; the scenario has sonde print the same of args[K] at the entry, and compares. Some functions are static and
called with constants, or ignore parameters, so that the compiler makes copies of them with other parameters.
"""

import dataclasses
import random


@dataclasses.dataclass
class Leaf:
    path: str  # of the member, in C: ".m.x[2]"; empty: the parameter itself
    kind: str  # int, bits, field
    size: int  # bytes; of a field bits
    unit: str = "unsigned long long"


@dataclasses.dataclass
class Kind:
    name: str  # how a parameter is declared
    leaves: list
    set: object  # (place, value text) -> statements that give the place a value


INTEGERS = [("_Bool", 1), ("char", 1), ("signed char", 1), ("unsigned char", 1), ("short", 2), ("unsigned short", 2), ("int", 4),
            ("unsigned", 4), ("long", 8), ("unsigned long", 8), ("long long", 8)]
REALS = [("float", 4), ("double", 8)]


class Generator:
    def __init__(self, seed, cplusplus, clang):
        """`clang`: other functions use all their parameters, because clang does not pass the rest to those that it sees."""
        self.random = random.Random(f"{seed}-{cplusplus}")
        self.cplusplus, self.clang = cplusplus, clang
        self.types, self.count = [], 0
        self.bool = "bool" if cplusplus else "_Bool"

    # -- types --

    def scalar(self):
        roll = self.random.random()
        if roll < 0.6:
            name, size = self.random.choice(INTEGERS)
            return self.integer(self.bool if name == "_Bool" else name, size)
        if roll < 0.85:
            name, size = self.random.choice(REALS)
            return self.real(name, size)
        if roll < 0.95:
            target = self.random.choice(["char", "void", "int", "double"])
            return Kind(f"{target} *", [Leaf("", "int", 8)], lambda place, v: f"{place} = ({target} *)(unsigned long){v};")
        return self.enum()

    def integer(self, name, size):
        value = "{v} & 1" if name == self.bool else "{v}"
        return Kind(name, [Leaf("", "int", size)], lambda place, v: f"{place} = ({name})({value.format(v=v)});")

    def real(self, name, size):
        return Kind(name, [Leaf("", "bits", size)], lambda place, v: f"{place} = ({name})(int)({v}) / 8;")

    def enum(self):
        name = self.fresh("E")
        small = self.cplusplus and self.random.random() < 0.5
        self.types.append(f"enum {'class ' if small else ''}{name}{' : unsigned char' if small else ''} {{ {name}_one = 1, {name}_two = 200 }};")
        return Kind(f"enum {name}" if not small else name, [Leaf("", "int", 1 if small else 4)],
                    lambda place, v: f"{place} = ({name if small else 'enum ' + name})(1 + ({v}) % 199);")

    def wide(self):
        """What takes 16 bytes or is made of halves."""
        roll = self.random.random()
        halves = [Leaf("", "half0", 8), Leaf("", "half1", 8)]
        if roll < 0.25:
            return Kind("__int128", halves, lambda place, v: f"{place} = ((__int128)({v}) << 64) + ({v}) * 3;")
        if roll < 0.45:
            return Kind("long double", [Leaf("", "half0", 8), Leaf("", "half1", 2)], lambda place, v: f"{place} = (long double)(int)({v}) / 8;")
        if roll < 0.55:
            return Kind("_Complex float", [Leaf("", "bits", 8)], lambda place, v: f"__real__ {place} = (float)(int)({v}); __imag__ {place} = 2.5f;")
        if roll < 0.7:
            return Kind("_Complex double", halves, lambda place, v: f"__real__ {place} = (double)(int)({v}); __imag__ {place} = 2.5;")
        if roll < 0.75:
            return Kind("__float128", halves, lambda place, v: f"{place} = (__float128)(int)({v});")
        if roll < 0.78:
            return Kind("_Complex long double", [Leaf("", "half0", 8), Leaf("", "half1", 2)],
                        lambda place, v: f"__real__ {place} = (long double)(int)({v}); __imag__ {place} = 1;")
        return self.vector()

    def vector(self):
        element, size = self.random.choice([("int", 4), ("float", 4), ("double", 8), ("long", 8), ("char", 1), ("short", 2)])
        total = self.random.choices([8, 16, 32], [3, 8, 0.4])[0]
        if size >= total:
            total = 16
        name = self.fresh("V")
        self.types.append(f"typedef {element} {name} __attribute__((vector_size({total})));")
        leaves = [Leaf("", "half0", 8)] + ([Leaf("", "half1", 8)] if total >= 16 else [])
        return Kind(name, leaves, lambda place, v: f"for (int i = 0; i < {total // size}; i++) {place}[i] = ({element})(({v}) % 100 + i);")

    def record(self, depth=0):
        union = self.random.random() < 0.12
        packed = self.random.random() < 0.06
        members, leaves, sets = [], [], []
        count = self.random.choices([0, 1, 2, 3, 4, 5], [0.03, 3, 5, 4, 2, 1])[0]
        if count == 0 and union:
            union = False
        for n in range(count):
            self.member(f"m{n}", depth, members, leaves, sets, union and n > 0)
        name = self.fresh("S")
        self.types.append(f"{'union' if union else 'struct'} {name} {{ {' '.join(members)} }}{' __attribute__((packed))' if packed else ''};")
        return Kind(f"{'union' if union else 'struct'} {name}", leaves, lambda place, v: " ".join(one(place, v) for one in sets))

    def member(self, name, depth, members, leaves, sets, silent):
        roll = self.random.random()
        if roll < 0.1:
            bits, unit = self.random.choice([(3, "unsigned"), (11, "int"), (17, "unsigned"), (33, "unsigned long"), (5, "short")])
            members.append(f"{unit} {name} : {bits};")
            fresh, put = [Leaf("." + name, "field", bits)], lambda place, v: f"{place}.{name} = ({v}) & {(1 << (bits - 1)) - 1};"
        else:
            kind = self.record(depth + 1) if roll < 0.22 and depth < 2 else self.wide() if roll < 0.28 else self.scalar()
            if roll > 0.88:
                length = self.random.randint(1, 4)
                members.append(f"{self.declare(kind.name, name)}[{length}];")
                fresh = [dataclasses.replace(leaf, path=f".{name}[{i}]{leaf.path}") for i in range(length) for leaf in kind.leaves]
                put = lambda place, v: " ".join(kind.set(f"{place}.{name}[{i}]", f"({v} + {i})") for i in range(length))
            else:
                align = " __attribute__((aligned(16)))" if self.random.random() < 0.02 else ""
                members.append(f"{self.declare(kind.name, name)}{align};")
                fresh = [dataclasses.replace(leaf, path=f".{name}{leaf.path}") for leaf in kind.leaves]
                put = lambda place, v: kind.set(f"{place}.{name}", v)
        if not silent:
            leaves.extend(fresh)
            sets.append(put)

    def flexible(self):
        name = self.fresh("S")
        self.types.append(f"struct {name} {{ int n; char rest[]; }};")
        return Kind(f"struct {name}", [Leaf(".n", "int", 4)], lambda place, v: f"{place}.n = (int)({v});")

    def special(self):
        """Classes of C++ that are passed by reference, inherit, or have nothing in them; member pointers."""
        roll, name = self.random.random(), self.fresh("S")
        if roll < 0.4:
            body = self.random.choice([f"{name}() {{}} {name}(const {name} &o) : a(o.a), b(o.b) {{}}", f"~{name}() {{}}", "virtual int f() { return b; }"])
            self.types.append(f"struct {name} {{ long a; int b; {body} }};")
            leaves = [Leaf(".a", "int", 8), Leaf(".b", "int", 4)]
            return Kind(f"struct {name}", leaves, lambda place, v: f"{place}.a = {v}; {place}.b = (int)({v}) + 1;")
        if roll < 0.65:
            base = self.fresh("S")
            self.types.append(f"struct {base} {{ int a; }}; struct {name} : {base} {{ {self.random.choice(['float', 'int', 'long', 'double'])} b; }};")
            size = 8 if self.types[-1].endswith(("long b; };", "double b; };")) else 4
            return Kind(f"struct {name}", [Leaf(".b", "bits", size)], lambda place, v: f"{place}.a = (int)({v}); {place}.b = (int)({v}) + 1;")
        if roll < 0.8:
            self.types.append(f"struct {name} {{ int a; int f() {{ return a; }} }}; typedef int {name}::*{name}_p;")
            return Kind(f"{name}_p", [Leaf("", "bits", 8)], lambda place, v: f"{place} = &{name}::a;")
        if roll < 0.95:
            self.types.append(f"struct {name} {{ int a; int f() {{ return a; }} int g() {{ return a; }} }}; typedef int ({name}::*{name}_p)();")
            return Kind(f"{name}_p", [Leaf("", "half0", 8), Leaf("", "half1", 8)], lambda place, v: f"{place} = &{name}::g;")
        self.types.append(f"struct {name} {{ }};")
        return Kind(f"struct {name}", [], lambda place, v: "")

    def parameter(self):
        roll = self.random.random()
        if roll < 0.002:
            return self.flexible() if not self.cplusplus else self.scalar()
        if roll < 0.06 and self.cplusplus:
            return self.special()
        if roll < 0.14:
            return self.wide()
        return self.record() if roll < 0.4 else self.scalar()

    # -- the program --

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    @staticmethod
    def declare(name, variable):
        return f"{name} {variable}"

    def bits(self, place, leaf):
        if leaf.kind == "int":
            cast = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long"}[leaf.size]
            return f"(unsigned long)({cast})({place}{leaf.path})"
        if leaf.kind == "field":
            return f"(unsigned long)({place}{leaf.path}) & {(1 << leaf.size) - 1}ul"
        start = 8 if leaf.kind == "half1" else 0
        return f"bits((const char *)&({place}{leaf.path}) + {start}, {leaf.size})"

    def function(self, number):
        name = f"f{number:04}"
        kinds = [self.parameter() for _ in range(self.random.choices(range(1, 13), [3, 5, 6, 6, 5, 4, 3, 3, 2, 1, 1, 1])[0])]
        result = self.random.choice([None, self.parameter(), self.scalar(), self.record()])
        static = self.random.random() < 0.12
        ignored = {n for n in range(len(kinds)) if self.random.random() < (0.1 if static else 0 if self.clang else 0.05)}
        ignored = {n for n in ignored if len(kinds[n].leaves) == 1 and not kinds[n].leaves[0].path}  # the caller may not fill a copy that nobody reads
        fixed = {n for n in range(len(kinds)) if static and self.random.random() < 0.2}
        variadic = not static and self.random.random() < 0.03
        method = self.cplusplus and not static and not variadic and self.random.random() < 0.2
        parameters = ", ".join(self.declare(kind.name, f"a{n}") for n, kind in enumerate(kinds)) + (", ..." if variadic else "")
        uses = self.assigned(kinds, static) + "".join(self.use(f"a{n}", kind) for n, kind in enumerate(kinds) if n not in ignored)
        returns = self.result(name, result) if result else ""
        head = f"{result.name if result else 'void'} "
        body = f"{{\n{uses}  put(\"{name} ran\\n\", 0);\n{returns}\n}}\n"
        text, call = "", name
        if method:
            text += f"struct M{number} {{ int id; {'virtual ' if number % 3 == 0 else ''}N {head}{name}({parameters}); }};\n{head}M{number}::{name}({parameters}) {body}"
            call = f"object.{name}"
        else:
            text += f"{'static ' if static else ''}N {head}{name}({parameters}) {body}"
        passes = f"N void call_{name}(unsigned long v) {{\n"
        if method:
            passes += f"  M{number} object; object.id = (int)v;\n"
        shift = 1 if method else 0
        for n, kind in enumerate(kinds):
            value = f"{1000 + 7 * n}" if n in fixed else f"(v + {n})"
            passes += f"  {self.declare(kind.name, f'a{n}')}; memset((void *)&a{n}, 0, sizeof a{n}); {kind.set(f'a{n}', value)}\n"
            shown = ", ".join(self.bits(f"a{n}", leaf) for leaf in kind.leaves)
            if kind.leaves:
                passes += f"  put(\"{name} {n + shift}:{' %lx' * len(kind.leaves)}\\n\", {shown});\n"
        called = f"{call}({', '.join(f'a{n}' for n in range(len(kinds)))}{', 1, 2.5' if variadic else ''});"
        if result and self.random.random() < 0.7:
            passes += f"  {result.name} result = {called}\n{self.use('result', result)}}}\n"
        else:
            passes += f"  {called}\n}}\n"
        return text + passes, kinds, shift, result.leaves if result else None

    def use(self, variable, kind):
        """By its address, which gives it a place in memory, or by the values of its leaves."""
        if not kind.leaves or self.random.random() < 0.4:
            return f"  use(&{variable}, sizeof {variable});\n"
        paths = dict.fromkeys((leaf.path, leaf.kind == "field") for leaf in kind.leaves)
        return "".join(f"  {{ volatile {'long' if field else f'__typeof__({variable}{path})'} kept = {variable}{path}; }}\n" for path, field in paths)

    def assigned(self, kinds, static):
        """Gives a parameter another one's value, or a constant, before it is used: then nobody needs what is passed."""
        numbers = [(n, leaf) for n, kind in enumerate(kinds) for leaf in kind.leaves if leaf.kind == "int"]
        whole = [n for n, leaf in numbers if not leaf.path]
        if not whole or (self.clang and not static) or self.random.random() > (0.3 if static else 0.1):
            return ""
        to, (source, leaf) = self.random.choice(whole), self.random.choice(numbers)
        if to == source:
            return ""
        if (to + source) % 4 == 3:
            return f"  a{to} = (__typeof__(a{to}))1;\n"
        return f"  a{to} = (__typeof__(a{to}))((long)a{source}{leaf.path}{self.random.choice(['', '', ' + 1'])});\n"

    def result(self, name, kind):
        shown = "".join(", " + self.bits("r", leaf) for leaf in kind.leaves)
        line = f"  put(\"{name} r:{' %lx' * len(kind.leaves)}\\n\"{shown});\n" if kind.leaves else ""
        return f"  {self.declare(kind.name, 'r')}; memset((void *)&r, 0, sizeof r); {kind.set('r', '4242ul')}\n{line}  return r;"

    def program(self, count):
        """The source, and for each function the leaves of each argument."""
        functions, arguments = [], {}
        for number in range(count):
            text, kinds, shift, result = self.function(number)
            functions.append("\n".join(self.types) + "\n" + text)
            self.types = []
            arguments[f"f{number:04}"] = {n + shift: kind.leaves for n, kind in enumerate(kinds)} | ({"r": result} if result else {})
        calls = "\n".join(f"  call_f{number:04}(round * 1000003ul + {number});" for number in range(count))
        head = """#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#define N __attribute__((noinline))
#pragma GCC diagnostic ignored "-Wpsabi"
static volatile char sink;
N static void put(const char *format, ...) { va_list all; va_start(all, format); vprintf(format, all); va_end(all); }
N static unsigned long bits(const void *from, unsigned size) { unsigned long to = 0; memcpy(&to, from, size); return to; }
N static void use(const void *from, unsigned long size) { for (unsigned long i = 0; i < size; i++) sink = ((const volatile char *)from)[i]; }
"""
        main = f"int main(void) {{\n  for (unsigned long round = 1; round < 3; round++) {{\n{calls}\n  }}\n  return 0;\n}}\n"
        return head + "\n".join(functions) + main, arguments


def d_bits(number, leaf):
    """The same in D, of args[number]."""
    place = f"args[{number}]{leaf.path}"
    if leaf.kind == "int":
        return f"(uint64_t)(uint{8 * leaf.size}_t){place}"
    if leaf.kind == "field":
        return f"((uint64_t){place} & {(1 << leaf.size) - 1})"
    start = 8 if leaf.kind == "half1" else 0
    return f"(uint64_t)*(uint{8 * leaf.size}_t *)((uintptr_t)&{place} + {start})"
