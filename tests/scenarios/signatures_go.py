# SPDX-License-Identifier: GPL-3.0-or-later
"""args[] of Go functions: in the registers and on the stack of Go's own calling conventions, receiver and results too."""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "signatures"))

from random_go_program import Generator, d_bits  # noqa: E402
from signatures import by_argument  # noqa: E402
from support import Skip, check, equal, patience, scenario  # noqa: E402

SYMBOL = re.compile(r"\.(f\d{4})(?:\[go\.shape[^\]]*\])?$")


def build(world, flags, seed, count):
    """The program, and the leaves of its functions' arguments."""
    if not shutil.which("go"):
        raise Skip("no Go compiler: golang-go")
    text, leaves = Generator(seed).program(count)
    source = world.path(f"signatures{seed}.go", text)
    program = world.path(f"go{seed}{''.join(flags)}".replace(" ", ""))
    built = subprocess.run(["go", "build", *flags, "-o", program, source], stderr=subprocess.PIPE, text=True, timeout=300 * patience,
                           env={"HOME": world.path("home"), "GOCACHE": world.path("cache"), "GO111MODULE": "off", "PATH": "/usr/bin:/bin"})
    equal(built.returncode, 0, built.stderr)
    return program, leaves


def probes(program):
    """For each function its probe's function field: a symbol may have characters that mean something in a description."""
    listed = subprocess.run(["nm", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for line in listed.splitlines():
        symbol = line.split(maxsplit=2)[-1]
        name = SYMBOL.search(symbol)
        wrapper = "[" in symbol and "[go.shape" not in symbol  # of a shared function: for tables of methods
        if name and line.split()[1] in "tT" and not wrapper and (name.group(1) not in found or "(*" not in symbol):
            found[name.group(1)] = re.sub(r"[^\w.]", "?", symbol)
    return found


def clause(field, name, keys, leaves, event):
    """A clause for each: one has room for 64 values."""
    text = ""
    for key, number in keys:
        values = "".join(", " + d_bits(number, leaf) for leaf in leaves[key])
        text += f'pid$target:a.out:{field}:{event} {{ printf("{name} {key}:{" %x" * len(leaves[key])}\\n"{values}); }}\n'
    return text


def compare(world, flags, seed, count):
    program, leaves = build(world, flags, seed, count)
    fields = probes(program)
    equal(sorted(fields), sorted(leaves), "functions")
    clauses, asked = [], set()
    for name, field in fields.items():
        entry = [(key, key) for key in leaves[name] if isinstance(key, int) and key < 10 and leaves[name][key]]
        left = [(key, int(key[1:])) for key in leaves[name] if not isinstance(key, int) and leaves[name][key]]
        clauses += [clause(field, name, entry, leaves[name], "entry"), clause(field, name, left, leaves[name], "return")]
        asked |= {f"{name} {key}" for key, _ in entry + left}
    script = world.path("signatures.d", "\n".join(clauses))
    output = world.path(f"read-{pathlib.Path(program).name}")
    result = world.sonde("-q", "-s", script, "-o", output, "-c", program, seconds=300)
    equal(result.stderr, "", "messages")
    passed, read = by_argument(result.stdout), by_argument(open(output).read())
    unequal = [f"{key}: passed {passed[key]}, read {read[key]}" for key in sorted(asked) if passed[key] != read[key] or len(read[key]) != 2]
    check(not unequal, f"{flags}: {len(unequal)} of {len(asked)} unequal: " + "; ".join(unequal[:12]))
    return len(asked)


@scenario(only="ptrace", why="the module reads the same locations by the same function", seconds=600)
def arguments_of_any_go_signature(world):
    """40 signatures, with --full 200: functions, methods, generic ones, several results; none is refused, none unequal."""
    count = 200 if world.full else 40
    for flags in ((), ("-gcflags=-N -l",)) if world.full else ((),):
        asked = compare(world, flags, 1, count)
        print(f"  go {' '.join(flags)}: {asked} equal, 0 unequal, 0 refused")
        check(asked > 3 * count, f"only {asked} arguments")


def text_of(place):
    return f"copyinstr((uintptr_t){place}.str, {place}.len + 1)"


@scenario()
def arguments_of_go_functions(world):
    """Registers of ABIInternal, its stack, a receiver, two results, instances of a generic function: as written."""
    def entry(function, name, form, values, event="entry"):
        return f'pid$target:a.out:main.{function}:{event} {{ printf("{name} {form}\\n", {values}); }} '
    clauses = (entry("Add", "add", "%d %d %s", f"args[0], args[1], {text_of('args[2]')}") + entry("Add", "add=", "%d", "args[1]", "return") +
               entry("Point.Moved", "moved", "%d %f %s %f", f"args[0].X, args[0].Y, {text_of('args[0].Name')}, args[1]") +
               entry("Point.Moved", "moved=", "%d %f %s %d", f"args[1].X, args[1].Y, {text_of('args[1].Name')}, args[2]", "return") +
               entry("Mixed", "mixed", "%d %d %d %d %d %d", "args[0], args[1].X, args[2].len, args[4][1], args[5][0], args[7]") +
               entry("Unused", "unused", "%d %d %s", f"args[0], args[1], {text_of('args[2]')}") +
               entry("Max?go.shape.int_0?", "max", "%d %d", "args[0], args[1]") +
               entry("Max?go.shape.string_0?", "max", "%s %s", f"{text_of('args[0]')}, {text_of('args[1]')}") +
               entry("??Counter?.Add", "count", "%d %d", "args[0]->n, args[1]") + entry("??Counter?.Add", "count=", "%d", "args[1]", "return"))
    wanted = ([f"add {i} 40 abc" for i in range(3)] + [f"add= {43 + i}" for i in range(3)] +
              ["moved 7 1.500000 here 2.250000", "moved= 8 3.750000 here 1", "mixed -3 7 3 9 500 1", "unused 11 12 unused", "max 3 14", "max a z"] +
              [f"count {sum(range(i))} {i}" for i in range(7)] + [f"count= {sum(range(i + 1))}" for i in range(7)])
    result = world.sonde("-q", "-n", clauses, "-c", world.program("go_args"))
    equal(sorted(line for line in result.stdout.splitlines() if line[:1].islower()), sorted(wanted), "calls")
    equal(result.stderr, "", "messages")


@scenario()
def arguments_on_a_growing_go_stack(world):
    """A goroutine's stack is copied while its functions run: each entry counts once, with what it was called with."""
    clause = f'pid$target:a.out:main.Deep:entry {{ printf("deep %d %s\\n", args[0], {text_of("args[1]")}); }} pid$target:a.out:main.Deep:return {{ @["left"] = count(); }}'
    result = world.sonde("-q", "-n", clause, "-c", world.program("go_args"))
    equal([line for line in result.stdout.splitlines() if line.startswith("deep")], [f"deep {n} deep" for n in range(40, -1, -1)], "entries")
    equal(result.stdout.split()[-2:], ["left", "41"], "returns")


@scenario()
def arguments_of_go_functions_for_assembly(world):
    """Go's runtime calls runtime.args from assembly, by the old convention, ABI0; a wrapper calls it by the new one."""
    clauses = "".join(f'pid$target:a.out:runtime.args{which}:entry {{ printf("{which} %d %s\\n", args[0], copyinstr((uintptr_t)args[1][1])); }} ' for which in ("", ".abi0"))
    result = world.sonde("-q", "-n", clauses, "-c", f"{world.program('go_args')} one two")
    equal([line for line in result.stdout.splitlines() if " 3 " in line], [".abi0 3 one", " 3 one"], "calls")


@scenario()
def places_of_go_arguments(world):
    """-lv says where each argument and result stands; what has no size stands nowhere."""
    listed = world.sonde("-lv", "-n", "pid$target:a.out:main.Mixed:entry,pid$target:a.out:main.Point.Moved:return", "-c", world.program("go_args")).stdout
    for line in ("args[0]: int8_t a  (%al)", "args[1]: main.Point p  (%ebx %xmm0 %rcx %rdi)", "args[2]: struct []int list  (%rsi %r8 %r9)",
                 "args[3]: interface {} any  (%r10 %r11)", "args[4]: [2]int pair  (stack, CFA+0, 16 bytes)", "args[5]: [1]uint16 one  (stack, CFA+16, 2 bytes)",
                 "args[6]: struct {} none  (unknown: a value of no size is not passed)", "args[7]: uint8_t last  (stack, CFA+18, 1 byte)",
                 "args[1]: main.Point  (%eax %xmm0 %rbx %rcx)", "args[2]: uint8_t  (%dil)"):
        check(line in listed, f"no {line!r} in {listed}")
