#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the tables of system calls: number, name, parameter types and names of each.

Sources, all of them the kernel's own:
  asm/unistd_64.h, _32.h    numbers and names (package linux-libc-dev)
  include/linux/syscalls.h  prototypes (package linux-headers-*-common)
  arch/x86_64/supplement*.txt what that header leaves out

    ./generate.py native --headers /usr/src/linux-headers-6.1.0-56-common > arch/x86_64/syscalls.inc
    ./generate.py compat --headers ... > arch/x86_64/compat_calls.inc       those that only 32-bit code has
    ./generate.py numbers              > ../../kmod/shared/compat_numbers.h  how 32-bit code numbers each call

A type that is not known to TYPE_BYTES, or a call without a prototype, is an error: nothing is guessed.
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMPAT_CALLS = 512  # what 32-bit code's own numbers have added, as kCompatCalls in syscall_table.h

# Bytes that a parameter of the type has; a pointer has 8.
TYPE_BYTES = {
    2: "umode_t",
    4: "int,unsigned,unsigned int,u32,__u32,__s32,uint32_t,pid_t,uid_t,gid_t,qid_t,key_t,mqd_t,clockid_t,"
       "const clockid_t,timer_t,key_serial_t,rwf_t,aio_context32_t,enum landlock_rule_type,const int,const __u32,"
       "const enum landlock_rule_type",
    8: "long,unsigned long,size_t,const size_t,ssize_t,off_t,loff_t,u64,__u64,aio_context_t,old_sigset_t,"
       "__kernel_old_time_t,cap_user_header_t,cap_user_data_t,const cap_user_data_t,__sighandler_t",
}
BYTES_OF = {name: size for size, names in TYPE_BYTES.items() for name in names.split(",")}


def clean(text):
    text = re.sub(r"\b__user\b", "", text)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\s*\*\s*", "*", text)


def split_parameter(text):
    """'const char *path' -> ('const char *', 'path')"""
    text = clean(text)
    found = re.fullmatch(r"(.*?[\s*])(\w+)(\[\d*\])?", text)
    if not found:
        raise ValueError(f"no name in '{text}'")
    kind, name = found.group(1).strip(), found.group(2)
    if found.group(3):
        kind += "*"
    return re.sub(r"(?<=\w)\*", " *", kind), name


def parse_parameters(text):
    text = clean(text)
    return [] if text in ("", "void") else [split_parameter(part) for part in text.split(",")]


def read_numbers(path):
    return [(int(number), name)
            for name, number in re.findall(r"#define __NR_(\w+)\s+(\d+)", path.read_text())]


def read_prototypes(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    return {name: parameters
            for name, parameters in re.findall(r"asmlinkage\s+long\s+sys_(\w+)\s*\(([^;]*)\)\s*;", text)}


def read_supplement(path):
    parameters, names = {}, {}
    for line in path.read_text().splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if found := re.fullmatch(r"(\w+)\((.*)\)", line):
            parameters[found.group(1)] = found.group(2)
        elif found := re.fullmatch(r"(\w+) = (\S+)", line):
            names[found.group(1)] = found.group(2)
        else:
            raise ValueError(f"{path}: cannot read '{line}'")
    return parameters, names


def size_of(kind, word):
    if kind.endswith("*"):
        return word
    if kind not in BYTES_OF:
        raise ValueError(f"size of type '{kind}' is unknown: add it to TYPE_BYTES")
    return min(BYTES_OF[kind], word)


def row(number, name, text, word):
    parameters = parse_parameters(text)
    cells = ", ".join(f'{{"{kind}", "{label}", {size_of(kind, word)}}}' for kind, label in parameters)
    return f'{{{number}, "{name}", {len(parameters)}, {{{cells}}}}},'


def print_numbers(native, compat):
    """A call that 64-bit code has as well goes by its number there."""
    known = {name: number for number, name in native}
    print("// {32-bit code's number, number of the call}")
    for number, name in sorted(compat):
        print(f"{{{number}, {known.get(name, COMPAT_CALLS + number)}}},  // {name}")


def print_calls(calls, prototypes, supplement, word):
    """Returns the number of calls that cannot be described."""
    supplied, renamed = read_supplement(supplement)
    print("// {number, name, number of arguments, {{type, name, bytes}...}}")
    errors = 0
    for number, name in sorted(calls):
        implementation = renamed.get(name, name)
        text = supplied.get(name) or ("" if name in supplied or implementation == "-"
                                      else prototypes.get(implementation))
        try:
            if text is None:
                raise ValueError("no prototype: add it to the supplement")
            print(row(number, name, text, word))
        except ValueError as error:
            print(f"{name}: {error}", file=sys.stderr)
            errors += 1
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=["native", "compat", "numbers"])
    parser.add_argument("--headers", type=pathlib.Path, help="root of the kernel's headers")
    parser.add_argument("--asm", type=pathlib.Path, default="/usr/include/x86_64-linux-gnu/asm")
    arguments = parser.parse_args()

    native = read_numbers(arguments.asm / "unistd_64.h")
    compat = read_numbers(arguments.asm / "unistd_32.h")
    # the kernel module has that one, too
    print("// SPDX-License-Identifier: GPL-" + ("2.0" if arguments.table == "numbers" else "3.0-or-later"))
    print("// Generated by runtime/process/generate.py from the kernel's headers; do not edit.")
    if arguments.table == "numbers":
        print_numbers(native, compat)
        return 0
    prototypes = read_prototypes(arguments.headers / "include/linux/syscalls.h")
    machine = HERE / "arch/x86_64"
    if arguments.table == "native":
        return 1 if print_calls(native, prototypes, machine / "supplement.txt", 8) else 0
    names = {name for _, name in native}
    only = [(COMPAT_CALLS + number, name) for number, name in compat if name not in names]
    return 1 if print_calls(only, prototypes, machine / "supplement_32.txt", 4) else 0


if __name__ == "__main__":
    sys.exit(main())
