# SPDX-License-Identifier: GPL-3.0-or-later
"""Go programs of functions with random signatures, whose callers print what they pass, and which print what they return.

A line is `NAME K: BITS ...`, K being the number of a parameter, from 0 with the receiver, or `r` and that of a result. Values that
are pointers lead to variables of the package, because those of a stack move.
"""

import dataclasses
import random


@dataclasses.dataclass
class Leaf:
    path: str  # in D
    place: str  # in Go, from the variable on
    offset: int  # bytes from there
    size: int


@dataclasses.dataclass
class Kind:
    name: str
    leaves: list
    value: object  # number -> expression


NUMBERS = [("int8", 1), ("uint8", 1), ("int16", 2), ("uint16", 2), ("int32", 4), ("uint32", 4), ("int64", 8), ("uint64", 8),
           ("int", 8), ("uint", 8), ("uintptr", 8)]
WORD = (Leaf("", "", 0, 8),)
POINTERS = [("*int", "&number"), ("func(int) int", "double"), ("map[string]int", "table"), ("chan int", "channel"),
            ("unsafe.Pointer", "unsafe.Pointer(&number)"), ("**int", "&pointer")]
WORDS = [("string", "texts[({v})%3]", ["str", "len"]), ("[]int", "ints[:({v})%3]", ["array", "len", "cap"]),
         ("[]string", "texts[:({v})%3]", ["array", "len", "cap"]), ("interface{}", "anything", ["_type", "data"]),
         ("error", "failure", ["tab", "data"])]

HEAD = """package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"unsafe"
)

var number, pointer = 5, &number
var table, channel = map[string]int{"a": 1}, make(chan int)
var texts, ints = []string{"", "one", "three"}, []int{1, 2, 3}
var anything interface{} = "anything"
var failure = errors.New("failure")
var out = bufio.NewWriter(os.Stdout)
var sink byte

func double(n int) int { return 2 * n }

//go:noinline
func bits(at unsafe.Pointer, offset, size uintptr) (all uint64) {
	for n := uintptr(0); n < size; n++ {
		all |= uint64(*(*byte)(unsafe.Add(at, int(offset+n)))) << (8 * n)
	}
	return all
}
"""


class Generator:
    def __init__(self, seed):
        self.random = random.Random(f"go-{seed}")
        self.types, self.count = [], 0

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def scalar(self):
        roll = self.random.random()
        if roll < 0.5:
            name, size = self.random.choice(NUMBERS)
            if self.random.random() < 0.2:
                own = self.fresh("N")
                self.types.append(f"type {own} {name}")
                name = own
            return Kind(name, [Leaf("", "", 0, size)], lambda v: f"{name}({v})")
        if roll < 0.6:
            return Kind("bool", [Leaf("", "", 0, 1)], lambda v: f"({v})%2 == 1")
        if roll < 0.8:
            name, size = self.random.choice([("float32", 4), ("float64", 8)])
            return Kind(name, [Leaf("", "", 0, size)], lambda v: f"{name}({v}) / 8")
        if roll < 0.86:
            half = self.random.choice([4, 8])
            leaves = [Leaf("[0]", "", 0, half), Leaf("[1]", "", half, half)]
            return Kind(f"complex{16 * half}", leaves, lambda v: f"complex(float{8 * half}({v}), 2.5)")
        name, value = self.random.choice(POINTERS)
        return Kind(name, list(WORD), lambda v: value)

    def words(self):
        name, value, members = self.random.choice(WORDS)
        leaves = [Leaf("." + member, "", 8 * n, 8) for n, member in enumerate(members)]
        return Kind(name, leaves, lambda v: value.format(v=v))

    def array(self, depth):
        length, kind = self.random.choices([0, 1, 2, 3], [1, 4, 2, 1])[0], self.any(depth + 1)
        leaves = [Leaf(f"[{n}]{one.path}", f"[{n}]{one.place}", one.offset, one.size) for n in range(length) for one in kind.leaves]
        name = f"[{length}]{kind.name}"
        return Kind(name, leaves, lambda v: f"{name}{{{', '.join(kind.value(f'{v}+{n}') for n in range(length))}}}")

    def record(self, depth):
        kinds = [self.any(depth + 1) for _ in range(self.random.choices([0, 1, 2, 3, 4, 6], [1, 5, 6, 4, 2, 1])[0])]
        name = self.fresh("S")
        self.types.append(f"type {name} struct {{ {'; '.join(f'm{n} {kind.name}' for n, kind in enumerate(kinds))} }}")
        leaves = [Leaf(f".m{n}{one.path}", f".m{n}{one.place}", one.offset, one.size) for n, kind in enumerate(kinds) for one in kind.leaves]
        return Kind(name, leaves, lambda v: f"{name}{{{', '.join(kind.value(v) for kind in kinds)}}}")

    def any(self, depth=0):
        roll = self.random.random()
        if depth < 3 and roll < 0.2:
            return self.record(depth)
        if depth < 3 and roll < 0.3:
            return self.array(depth)
        return self.words() if roll < 0.5 else self.scalar()

    @staticmethod
    def shown(name, key, kind, variable):
        if not kind.leaves:
            return ""
        bits = ", ".join(f"bits(unsafe.Pointer(&{variable}{one.place}), {one.offset}, {one.size})" for one in kind.leaves)
        return f'\tfmt.Fprintf(out, "{name} {key}:{" %x" * len(kind.leaves)}\\n", {bits})\n'

    def receiver(self, number, generic):
        """(receiver's declaration, kind, type parameters, arguments of types)"""
        own = f"R{number}"
        kind = self.random.choice([self.scalar, self.words, lambda: self.record(1)])()
        if generic:
            self.types.append(f"type {own}[T any] struct {{ m0 int16; m1 T; m2 {kind.name} }}")
            return f"{own}[T]", f"{own}[int64]", [Leaf(".m0", ".m0", 0, 2), Leaf(".m1", ".m1", 0, 8)], lambda v: f"{own}[int64]{{int16({v}), {v}, {kind.value(v)}}}"
        self.types.append(f"type {own} struct {{ m0 {kind.name} }}")
        leaves = [Leaf(".m0" + one.path, ".m0" + one.place, one.offset, one.size) for one in kind.leaves]
        return own, own, leaves, lambda v: f"{own}{{{kind.value(v)}}}"

    def function(self, number):
        name, roll = f"f{number:04}", self.random.random()
        generic, method = roll < 0.12, 0.06 < roll < 0.3
        kinds = [self.any() for _ in range(self.random.choices(range(0, 10), [1, 3, 5, 6, 6, 5, 3, 3, 2, 1])[0])]
        if generic:
            kinds.append(Kind("int64", [Leaf("", "", 0, 8)], lambda v: f"int64({v})"))
        results = [self.any() for _ in range(self.random.choices(range(0, 4), [3, 5, 3, 1])[0])]
        for kind in kinds + results:
            del kind.leaves[40:]
        names = [kind.name for kind in kinds]
        if generic:
            names[-1] = "T"
        parameters = ", ".join(f"a{n} {one}" for n, one in enumerate(names))
        body = "".join(f"\tsink += *(*byte)(unsafe.Pointer(&a{n}))\n" for n in range(len(kinds)) if kinds[n].leaves and self.random.random() < 0.7)
        if results:
            body += f"\tv := int64({number})\n\t_ = v\n"
        for n, kind in enumerate(results):
            body += f"\tvar r{n} {kind.name} = {kind.value(f'v+{n}')}\n" + self.shown(name, f"r{n + 1}", kind, f"r{n}")
        body += "\treturn " + ", ".join(f"r{n}" for n in range(len(results))) + "\n"
        head = f"({', '.join(kind.name for kind in results)})"
        passes, call, shift = f"//go:noinline\nfunc call_{name}(v int64) {{\n", name, 0
        if method:
            own, instance, leaves, value = self.receiver(number, generic)
            pointer = self.random.random() < 0.5
            text = f"//go:noinline\nfunc (r {'*' if pointer else ''}{own}) {name}({parameters}) {head} {{\n{body}}}\n"
            kind = Kind(instance, list(WORD) if pointer else leaves[:40], value)
            passes += f"\treceiver{number} = {value('v')}\n\tr := {'&' if pointer else ''}receiver{number}\n" + self.shown(name, 0, kind, "r")
            text = f"var receiver{number} {instance}\n" + text
            call, shift = f"r.{name}", 1
            kinds_by_number = {0: kind.leaves}
        else:
            text = f"//go:noinline\nfunc {name}{'[T any]' if generic else ''}({parameters}) {head} {{\n{body}}}\n"
            kinds_by_number = {}
        for n, kind in enumerate(kinds):
            passes += f"\tvar a{n} {kind.name} = {kind.value(f'v+{n}')}\n" + self.shown(name, n + shift, kind, f"a{n}")
            kinds_by_number[n + shift] = kind.leaves
        passes += f"\t{call}({', '.join(f'a{n}' for n in range(len(kinds)))})\n}}\n"
        return text + passes, kinds_by_number | {f"r{n + 1}": kind.leaves for n, kind in enumerate(results)}

    def program(self, count):
        """The source, and for each function the leaves of each argument and result."""
        functions, arguments = [], {}
        for number in range(count):
            text, leaves = self.function(number)
            functions.append("\n".join(self.types) + "\n" + text)
            self.types = []
            arguments[f"f{number:04}"] = leaves
        calls = "".join(f"\t\tcall_f{number:04}(round*1000003 + {number})\n" for number in range(count))
        main = f"func main() {{\n\tfor round := int64(1); round < 3; round++ {{\n{calls}\t}}\n\tout.Flush()\n}}\n"
        return HEAD + "\n".join(functions) + main, arguments


def d_bits(number, leaf):
    """The same in D, of args[number]."""
    return f"(uint64_t)*(uint{8 * leaf.size}_t *)((uintptr_t)&args[{number}]{leaf.path})"
