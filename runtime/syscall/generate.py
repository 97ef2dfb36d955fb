#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what the decoder of system calls knows: the names of constants, and what each argument of a call is.

Sources:
  constants.txt   which macros make a set; their values are what the C compiler says, from the headers of the kernel
                  (linux-libc-dev) and, for what those leave to it, of the C library
  shapes.txt      what an argument is, where its type does not tell
  ../process/arch/x86_64/syscalls.inc   calls, types and names of their parameters, generated from the kernel's prototypes

    ./generate.py constants > arch/x86_64/constants.inc
    ./generate.py shapes    > arch/x86_64/shapes.inc

A set that matches no macro, a form that nobody knows, or a wrong number of arguments is an error.
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CALLS = HERE.parent / "process/arch/x86_64/syscalls.inc"

# What a parameter is by its type and name, where shapes.txt does not say. The first that matches counts.
RULES = [
    (r"const char \*", r".*", "path"),
    (r"umode_t", r".*", "mode"),
    (r"(unsigned )?(int|long)", r"(old|new)?dfd|(from|to|mount)_?dirfd|(from|to)_dfd", "dirfd"),
    (r"(unsigned )?(int|long)|__s32|mqd_t", r"fd|fd_in|fd_out|fdin|fdout|\w+_fd|epfd|ufd|pidfd|fildes|mqdes", "fd"),
    (r"(const )?clockid_t", r".*", "clock"),
    (r"int|uint32_t", r"sig", "signal"),
    (r"[ug]id_t", r".*", "id"),
    (r"const struct __kernel_timespec \*|struct __kernel_timespec \*", r"(abs_)?timeout|\w*time|tsp|rqtp", "timespec"),
    (r"const sigset_t \*", r".*", "pointer"),
    (r".*\*", r".*", "pointer"),
    (r"\w*", r"flags?|mask|cmd|op|request", "hex"),
    (r"aio_context_t", r".*", "hex"),
    (r"int|__s32|pid_t|key_serial_t|timer_t|rwf_t", r".*", "int"),
    (r"unsigned|unsigned int|u32|__u32|uint32_t|qid_t|key_t|enum \w+", r".*", "uint"),
    (r"unsigned long", r"addr|start|brk|new_addr|newsp|arg\d?|data|entry|from|to", "pointer"),
    (r"(const )?size_t|unsigned long|u64|__u64", r".*", "size"),
    (r"long|off_t|loff_t|ssize_t|__kernel_old_time_t", r".*", "long"),
    (r".*", r".*", "hex"),
]


def read_sets():
    sets = []
    for line in (HERE / "constants.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, kind, header, pattern, *rest = line.split()
        extra = dict(word.split("=", 1) for word in rest)
        named = extra["enum"].split(",") if "enum" in extra else []
        known = dict(word.split(":") for word in extra["extra"].split(",")) if "extra" in extra else {}
        choose = [re.compile(pattern), re.compile(extra.get("not", "(?!)")), named]
        sets.append((name, kind, header, choose, known, extra.get("base")))
    return sets


def compiler(words, text):
    return subprocess.run(["gcc", "-D_GNU_SOURCE", "-x", "c", *words, "-"], input=text, text=True, check=True,
                          stdout=subprocess.PIPE).stdout


def include(headers):
    return "".join(f"#include <{header}>\n" for header in ["stddef.h", *headers.split(",")])


def macros_of(header):
    names = re.findall(r"^#define (\w+) \S", compiler(["-E", "-dM"], include(header)), re.M)
    return sorted(set(names))


def values_of(header, names):
    """The compiler writes them as data, in assembly: nothing has to run."""
    lines = "".join(f"const unsigned long long value_of_{name} = (unsigned long long)({name});\n" for name in names)
    found = re.findall(r"^value_of_(\w+):\n\s+\.(quad\s+-?\d+|zero)", compiler(["-S", "-o", "-"], include(header) + lines), re.M)
    return {name: int(value.split()[1]) & (1 << 64) - 1 if value != "zero" else 0 for name, value in found}


def chosen_names(choose, macros):
    pattern, refused, named = choose
    return [name for name in macros if pattern.fullmatch(name) and not refused.fullmatch(name)] + named


def print_constants():
    """Returns the number of errors."""
    sets, wanted, errors = read_sets(), {}, 0
    macros = {header: macros_of(header) for _, _, header, _, _, _ in sets}
    for _, _, header, choose, _, _ in sets:
        wanted.setdefault(header, set()).update(chosen_names(choose, macros[header]))
    values = {header: values_of(header, sorted(names)) for header, names in wanted.items()}
    tables = []
    for name, kind, header, choose, known, base in sets:
        chosen = {int(value, 0): macro for macro, value in known.items()}
        for macro in chosen_names(choose, macros[header]):
            value = values[header][macro]
            chosen.setdefault(value & 0xffffffff if value >> 63 else value, macro)
        if not chosen:
            print(f"{name}: no macro of {header} matches", file=sys.stderr)
            errors += 1
        rows = ", ".join(f'{{0x{value:x}, "{macro}"}}' for value, macro in sorted(chosen.items()))
        print(f"SONDE_CONSTANTS({name}, {rows})")
        below, mask = base.split(":") if base else ("none", "0")
        tables.append(f"SONDE_SET({name}, {'true' if kind == 'flags' else 'false'}, {below}, {int(mask, 0):#x})")
    print("\n".join(tables))
    return errors


def read_calls():
    calls = []
    for number, name, rest in re.findall(r'^\{(\d+), "(\w+)", \d+, (.*)\},$', CALLS.read_text(), re.M):
        calls.append((int(number), name, re.findall(r'\{"([^"]*)", "(\w+)", \d\}', rest)))
    return calls


def read_shapes():
    shapes = {}
    for line in (HERE / "shapes.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        found = re.fullmatch(r"(before )?(\w+)\((.*)\)(?: = (\w+))?", line)
        if not found:
            raise ValueError(f"shapes.txt: cannot read '{line}'")
        before, name, arguments, result = found.groups()
        shapes[name] = ([word for word in arguments.split(", ") if word], result, before is not None)
    return shapes


def by_rule(kind, label):
    return next(form for types, names, form in RULES if re.fullmatch(types, kind) and re.fullmatch(names, label))


def read_forms():
    """The lists of shape.h."""
    text = (HERE / "shape.h").read_text()
    forms = re.search(r"#define SONDE_FORMS\(X\)(.*?)\n\n", text, re.S).group(1)
    structs = re.search(r"#define SONDE_STRUCTS\(X\)(.*?)\n\n", text, re.S).group(1)
    return set(re.findall(r"X\((\w+)\)", forms)), set(re.findall(r"X\((\w+),", structs))


class Cells:
    """Turns a form's word into C++."""

    def __init__(self):
        self.forms, self.structs = read_forms()
        self.sets = {name: kind for name, kind, *_ in read_sets()}

    def cell(self, word):
        name, _, size = word.partition("@")
        size = {"": "kNoSize", "result": "kByResult"}.get(size) or ("kSizeAt + " + size[1:] if size[0] == "*" else size)
        out = name.endswith("_out")
        plain = name.removesuffix("_out")
        if plain in self.structs:
            return f"{{Form::as_structure, Struct::{plain}, {size}, {'true' if out else 'false'}}}"
        if name in self.sets:
            return f"{{Form::as_constant, Set::{name}, {size}, false}}"
        if plain in self.forms:
            return f"{{Form::as_{plain}, 0, {size}, {'true' if out else 'false'}}}"
        raise ValueError(f"no form, set or structure is called '{name}'")


def print_shapes():
    cells, shapes, errors = Cells(), read_shapes(), 0
    calls = read_calls()
    for name in sorted(set(shapes) - {name for _, name, _ in calls}):
        print(f"{name}: no such call on this machine", file=sys.stderr)
        errors += 1
    print("// {number, {what each argument is: form, set or structure, size, filled in by the kernel}, the result, shown as before}")
    for number, name, parameters in calls:
        arguments, result, before = shapes.get(name, ([by_rule(*each) for each in parameters], None, False))
        try:
            if len(arguments) != len(parameters):
                raise ValueError(f"{len(arguments)} arguments, and the kernel has {len(parameters)}")
            words = ", ".join(cells.cell(word) for word in arguments)
            print(f"{{{number}, {{{words}}}, {cells.cell(result or 'long')}, {'true' if before else 'false'}}},  // {name}")
        except ValueError as error:
            print(f"{name}: {error}", file=sys.stderr)
            errors += 1
    return errors


def versions():
    """The packages that the constants come from."""
    shown = "${Package} ${Version}, "
    return subprocess.run(["dpkg-query", "-W", "-f", shown, "linux-libc-dev", "libc6-dev"], text=True, check=True,
                          stdout=subprocess.PIPE).stdout.rstrip(", ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=["constants", "shapes"])
    table = parser.parse_args().table
    print("// SPDX-License-Identifier: GPL-3.0-or-later")
    print("// Generated by runtime/syscall/generate.py; do not edit.")
    if table == "constants":
        print(f"// Headers: {versions()}")
    return 1 if (print_constants() if table == "constants" else print_shapes()) else 0


if __name__ == "__main__":
    sys.exit(main())
