# SPDX-License-Identifier: GPL-3.0-or-later
"""args[] of functions with random signatures: sonde must read what the caller passed, or say why it cannot."""

import collections
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "signatures"))

from random_program import Generator, d_bits  # noqa: E402
from support import Skip, check, equal, patience, scenario  # noqa: E402

SYMBOL = re.compile(r"(?<!call_)(f\d{4})")
ARGUMENT = re.compile(r"^\t\targs\[(\d+)\]: (.*?)(?:  \((unknown: )?(.*)\))?$")


def build(world, compiler, flags, seed, count):
    """The program, and the leaves of its functions' arguments."""
    cplusplus = "++" in compiler
    text, leaves = Generator(seed, cplusplus, "clang" in compiler).program(count)
    source = world.path(f"signatures-{seed}.{'cpp' if cplusplus else 'c'}", text)
    program = world.path(f"{compiler}{''.join(flags)}-{seed}")
    subprocess.run([compiler, "-w", "-g", *flags, "-o", program, source], check=True, timeout=240 * patience, stderr=subprocess.DEVNULL,
                   cwd=pathlib.Path(program).parent)  # which gets the .dwo
    return program, leaves


def symbols(program):
    """(symbol, function) of each function, and of each copy of it that the compiler has made."""
    listed = subprocess.run(["nm", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = []
    for line in listed.splitlines():
        words = line.split()
        name = SYMBOL.search(words[-1]) if len(words) == 3 and words[1] in "tTwW" else None
        if name and "call_" not in words[-1] and not words[-1].endswith(".cold"):
            found.append((words[-1], name.group(1)))
    return found


def places(world, program, found):
    """For each (symbol, return?) and argument: whether it is known, and where or why."""
    wanted = ",".join(f"pid$target:a.out:{symbol}:{name}" for symbol, _ in found for name in ("entry", "return"))
    listed = world.sonde("-Z", "-l", "-v", "-n", wanted, "-c", program).stdout
    told, now = {}, None
    for line in listed.splitlines():
        words = line.split()
        if words and words[0].isdigit():
            name = SYMBOL.search(line)
            now = (name.group(1) + mark(line), words[-1])
        if argument := ARGUMENT.match(line):
            told[(*now, int(argument.group(1)))] = (not argument.group(3), argument.group(4) or "", argument.group(2))
    return told


def mark(symbol):
    """What a compiler adds to the name of a copy: ".isra.0"."""
    found = re.search(r"\.(?:isra|constprop|part)[\w.]*", symbol)
    return found.group() if found else ""


def clause(symbol, name, numbers, leaves):
    lines = []
    for number, shown in numbers:
        values = "".join(", " + d_bits(number, leaf) for leaf in leaves[shown])
        lines.append(f'printf("{SYMBOL.search(symbol).group(1)} {shown}:{" %x" * len(leaves[shown])}\\n"{values});')
    return f"pid$target:a.out:{symbol}:{name} {{ {' '.join(lines)} }}" if lines else ""


def by_argument(text):
    lines = collections.defaultdict(list)
    for line in text.splitlines():
        if ":" in line:
            name, _, values = line.partition(":")
            lines[name].append(values.strip())
    return lines


def compare(world, compiler, flags, seed, count):
    """Returns the numbers of equal and refused arguments, the reasons of the latter; fails if one is unequal."""
    program, leaves = build(world, compiler, flags, seed, count)
    found = [one for one in symbols(program) if one[1] in leaves]  # a name that the linker makes up may look like ours
    told = places(world, program, found)
    clauses, refused, asked, partly = [], collections.Counter(), set(), set()
    for symbol, name in found:
        key = name + mark(symbol)
        entry = [n for n in leaves[name] if n != "r" and n < 10 and leaves[name][n]]
        known = [n for n in entry if told.get((key, "entry", n), (False,))[0]]
        for n in entry:
            if n not in known:
                partly.add(f"{name} {n}")  # another copy may know it, and not run
                refused[told.get((key, "entry", n), (False, "not listed"))[1]] += 1
        clauses.append(clause(symbol, "entry", [(n, n) for n in known], leaves[name]))
        asked |= {f"{name} {n}" for n in known}
        if leaves[name].get("r"):
            good, why, *_ = told.get((key, "return", 1), (False, "not listed"))
            if good:
                clauses.append(clause(symbol, "return", [(1, "r")], leaves[name]))
                asked.add(f"{name} r")
            else:
                partly.add(f"{name} r")
                refused["result: " + why] += 1
    script = world.path("signatures.d", "\n".join(clauses))
    output = world.path(f"read-{pathlib.Path(program).name}")
    result = world.sonde("-q", "-s", script, "-o", output, "-c", program, seconds=300)
    passed, read = by_argument(result.stdout), by_argument(open(output).read())
    unequal = [f"{key}: passed {passed[key]}, read {read[key]}" for key in sorted(asked)
               if passed[key] != read[key] and not (key in partly and set(read[key]) <= set(passed[key]))]
    check(not unequal, f"{compiler} {flags}: {len(unequal)} unequal: " + "; ".join(unequal[:12]) + f"; {result.stderr[:600]}")
    return len(asked), refused


def table(world, rows, seed, count):
    """Compares for each compiler and level, prints a line for each, and bounds what is refused."""
    equal_in_all = refused_in_all = 0
    reasons = collections.Counter()
    for compiler, flags in rows:
        same, refused = compare(world, compiler, flags, seed, count)
        print(f"  {compiler} {' '.join(flags)}: {same} equal, 0 unequal, {refused.total()} refused")
        equal_in_all, refused_in_all, reasons = equal_in_all + same, refused_in_all + refused.total(), reasons + refused
    for why, number in reasons.most_common():
        print(f"    refused {number}: {why}")
    check(equal_in_all > 3 * count, f"only {equal_in_all} arguments")
    check(refused_in_all <= 0.03 * (equal_in_all + refused_in_all), f"{refused_in_all} of {equal_in_all + refused_in_all} are refused")


@scenario(only="ptrace", why="the module reads the same locations by the same function", seconds=600)
def arguments_of_any_signature(world):
    """gcc and g++, without and with optimization; with --full gcc, g++ and clang, each level, 500 signatures."""
    compilers = [c for c in (("gcc", "g++", "clang", "clang++") if world.full else ("gcc", "g++")) if shutil.which(c)]
    if not compilers:
        raise Skip("no compiler")
    levels = ["-O0", "-O1", "-O2", "-O3"] if world.full else ["-O0", "-O2"]
    table(world, [(compiler, (level,)) for compiler in compilers for level in levels], seed=1, count=500 if world.full else 60)


FORMS = {"DWARF 4": ("-gdwarf-4",), "DWARF 5": ("-gdwarf-5",), "type units": ("-fdebug-types-section",), "split": ("-gsplit-dwarf",),
         "optimized at link time": ("-flto",), "no views": ("-gno-variable-location-views",), "strict": ("-gstrict-dwarf",)}
GCC_ONLY = ("no views", "strict")


@scenario(only="ptrace", why="the module reads the same locations by the same function", seconds=600)
def arguments_in_each_form_of_debug_information(world):
    """None unequal. Optimization at link time changes what is external in its unit: most of that is refused."""
    compilers = [c for c in (("gcc", "g++", "clang", "clang++") if world.full else ("g++", "clang")) if shutil.which(c)]
    if not compilers:
        raise Skip("no compiler")
    for form, flags in FORMS.items():
        for compiler in compilers:
            if "clang" in compiler and form in GCC_ONLY:
                continue
            same, refused = compare(world, compiler, ("-O2", *flags), 1, 60 if world.full else 25)
            print(f"  {compiler}, {form}: {same} equal, 0 unequal, {refused.total()} refused")
            check(form == "optimized at link time" or same > 9 * refused.total(), f"{compiler}, {form}: refused {refused}")
            check(same > 25, f"{compiler}, {form}: only {same} arguments")


def entry(function, text, values):
    return f'pid$target:a.out:{function}:entry {{ printf("{function} {text}\\n", {values}); }} '


@scenario(short=True)
def arguments_in_each_class(world):
    """Structs in registers and in memory, reals, 16 bytes, small integers; results too big for registers; as written."""
    clauses = (entry("pair", "%d %d %d", "args[0].a, args[0].b, args[1]") + entry("triple", "%d %d", "args[0].c, args[1]") +
               entry("mixed", "%d %f %d", "args[0].x, args[0].y, args[1]") + entry("between", "%d %f %d", "args[0], args[1], args[2]") +
               entry("sret", "%d %d", "args[0], args[1]") + entry("floats", "%f %d %f %d", "args[0], args[1], args[2], args[3]") +
               entry("tiny", "%d %d", "args[0].c[2], args[1]") + entry("packed", "%d %d", "args[0].b, args[1]") + entry("wide", "%d %d", "((uint64_t *)&args[0])[1], args[1]") +
               entry("extended", "%d", "args[1]") + entry("flag", "%d %d %d %d", "args[0], args[1], args[2], args[3]") +
               'pid$target:a.out:retpair:return { printf("retpair %d %d\\n", args[1].a, args[1].b); } '
               'pid$target:a.out:sret:return { printf("sret %d\\n", args[1].c); }')
    wanted = ["pair 11 22 66", "triple 33 77", "mixed 44 5.500000 88", "between 12 3.500000 34", "sret 56 78", "sret 134",
              "floats 1.500000 90 2.500000 91", "tiny 9 92", "packed 61 62", "wide 1 93", "extended 94", "flag 1 -3 -300 200", "retpair 95 96"]
    for level in ("-O0", "-O2"):
        result = world.sonde("-q", "-n", clauses, "-c", world.program("passed", level))
        equal(sorted(line for line in result.stdout.splitlines() if line[:1].isalpha()), sorted(wanted), level)
        equal(result.stderr, "", level)


@scenario()
def arguments_of_methods(world):
    """`this`, and what comes behind a hidden result: getters of strings, vectors and structs; classes by reference."""
    clauses = ""
    for name in ("name", "big", "plain", "virt", "many", "col"):
        tag = "?abi?cxx11?" if name == "name" else ""  # not `name*`, which is the cold part, too
        clauses += f'pid$target:a.out:Owner??{name}{tag}:entry {{ printf("{name} %d %d\\n", args[0]->id, args[1]); }} '
    clauses += ('pid$target:a.out:Owner??stat:entry { printf("stat %d\\n", args[0]); } pid$target:a.out:freefn?abi?cxx11?:entry { printf("freefn %d %d\\n", args[0], args[1]); } '
                'pid$target:a.out:Owner??ref:entry { printf("ref %d %d\\n", args[0]->id, *args[2]); } '
                'pid$target:a.out:Owner??take:entry { printf("take %d %d\\n", args[0]->id, args[2]); }')
    wanted = ["name 17 3", "big 17 44", "plain 17 45", "virt 17 46", "many 17 2", "col 17 7", "stat 47", "freefn 51 52", "ref 17 5", "take 17 48"]
    for level in ("-O0", "-O2"):
        result = world.sonde("-q", "-n", clauses, "-c", world.program("passed_objects", level))
        equal(sorted(line for line in result.stdout.splitlines() if line[:1].isalpha()), sorted(wanted), level)
        equal(result.stderr, "", level)


@scenario()
def changed_parameters_are_refused(world):
    """A copy with other parameters: what DWARF does not place is an error with the reason; -lv says it, too."""
    program = world.program("passed", "-O2")
    listed = world.sonde("-lv", "-n", "pid$target:a.out:dropped.*:entry", "-c", program).stdout
    check("args[0]: int unused  (unknown: the compiler has changed the parameters of this copy of the function (.constprop))" in listed, listed)
    check("args[1]: int used  (the constant 1234)" in listed, listed)
    refused = world.sonde("-n", "pid$target:a.out:dropped.*:entry { trace(args[0]); }", "-c", program, status=1)
    check("args[0], a int, cannot be read: the compiler has changed the parameters" in refused.stderr, refused.stderr)


@scenario()
def parts_in_place_of_an_object(world):
    """A copy that takes an object's parts where the function took its address: the object is refused, or right."""
    for flags in ((), ("-gno-variable-location-views",), ("-gstrict-dwarf",), ("-gdwarf-4",)):
        program = world.program("parts", "-O2", "-g", *flags)
        names = [name for name in subprocess.run(["nm", program], check=True, stdout=subprocess.PIPE, text=True).stdout.split() if "parts" in name]
        check(names and all(".isra" in name for name in names), f"the compiler has made a copy: {names}")
        listed = world.sonde("-lv", "-n", "pid$target:a.out:_ZL5parts*:entry", "-c", program).stdout
        if "the compiler has changed the parameters of this copy of the function (.isra)" in listed:
            continue
        read = world.sonde("-q", "-n", 'pid$target:a.out:_ZL5parts*:entry { printf("%d\\n", args[0].a); }', "-c", program)
        equal([line for line in read.stdout.splitlines() if line.isdigit()], ["42", "43"], f"{flags}: {listed} {read.stderr}")


@scenario()
def other_languages_are_refused(world):
    """Rust's own convention is not C's: refused with the reason, and not read from the wrong register."""
    listed = world.sonde("-lv", "-n", "pid$target:a.out:rusty??*:entry", "-c", world.program("rusty")).stdout
    check("(unknown: Rust has a calling convention of its own)" in listed, listed[:2000])
