# SPDX-License-Identifier: GPL-3.0-or-later
"""Bit-fields of structures that end where the memory ends: what is read of one stays within its structure."""

import shutil
import subprocess

from support import Skip, check, equal, patience, scenario

HEAD = """#include <string.h>
#include <sys/mman.h>
#define N __attribute__((noinline, noclone))
static char *end;  // of the memory
static volatile char sink;
"""


def fields():
    """(bits before it, its width, signed): fields that end in each byte from the first to the eighth."""
    for size in range(1, 9):
        for before in (0, 3, 7):
            for width in {8 * size - before, max(1, 8 * size - 7 - before)}:
                if before + width > 8 * (size - 1):
                    yield size, before, width, width % 2 == 0


def value(before, width):
    return (0x9e3779b97f4a7c15 >> before) & ((1 << width) - 1)


def program(rows):
    """f0, f1, ... get a pointer to their structure in the last bytes of the memory, and the structure itself."""
    text, calls = HEAD, ""
    for n, (size, before, width, is_signed) in enumerate(rows):
        pad = f"unsigned char pad : {before}; " if before else ""
        text += (f"struct s{n} {{ {pad}{'' if is_signed else 'unsigned '}long m : {width}; }} __attribute__((packed));\n"
                 f"_Static_assert(sizeof(struct s{n}) == {size}, \"packed\");\n"
                 f"N void f{n}(struct s{n} *p, struct s{n} s) {{ sink = ((char *)p)[0] + ((char *)&s)[0]; }}\n")
        calls += (f"  {{ struct s{n} *p = (struct s{n} *)(end - sizeof *p); memset(p, 0x55, sizeof *p); "
                  f"p->m = (long){value(before, width):#x}; f{n}(p, *p); }}\n")
    return text + ("int main(void) {\n  char *all = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
                   "  mprotect(all + 4096, 4096, PROT_NONE);\n  end = all + 4096;\n" + calls + "  return 0;\n}\n")


def clause(n, size):
    """By the pointer, when the probe fires and in a predicate; of the argument; of a copy; after a store to the copy."""
    pointer = f"((struct s{n} *)arg0)"
    return (f"pid$target:a.out:f{n}:entry / {pointer}->m != 12345 / {{\n"
            f"  this->copy{n} = (struct s{n} *)copyin(arg0, {size});\n"
            f'  printf("f{n} %d %d %d %d", {pointer}->m, args[0]->m, args[1].m, this->copy{n}->m);\n'
            f"  this->copy{n}->m = this->copy{n}->m ^ 1;\n"
            f'  printf(" %d\\n", this->copy{n}->m);\n}}\n')


@scenario()
def bit_fields_at_the_end_of_memory(world):
    """Each size of what they lie in, each byte that they end in, signed and unsigned: no load, and no store, goes beyond."""
    if not shutil.which("gcc"):
        raise Skip("no gcc")
    rows = list(fields())
    source, built = world.path("fields.c", program(rows)), world.path("fields")
    subprocess.run(["gcc", "-w", "-g", "-O2", "-o", built, source], check=True, timeout=60 * patience)
    result = world.sonde("-q", "-s", world.path("fields.d", "".join(clause(n, row[0]) for n, row in enumerate(rows))), "-c", built)
    wanted = []
    for n, (_size, before, width, is_signed) in enumerate(rows):
        bits = value(before, width)
        shown, stored = (one - (1 << width) if is_signed and one >> (width - 1) else one for one in (bits, bits ^ 1))
        wanted.append(f"f{n} " + " ".join([printed(shown)] * 4 + [printed(stored)]))
    equal([line for line in result.stdout.splitlines() if line], wanted, "the fields")
    check(len(rows) > 40 and not result.stderr, result.stderr)


def printed(number):
    """As %d prints 64 bits."""
    return str(number - (1 << 64) if number >> 63 == 1 else number)
