# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of a program that have names of D's own: args[] has the program's."""

import shutil
import subprocess

from support import Skip, equal, patience, scenario

# string and stack are D's types, the next D always has, the last are of its library
NAMES = ("string", "stack", "_symaddr", "caddr_t", "zoneid_t", "hrtime_t", "u_long", "psinfo_t", "fileinfo_t", "conninfo_t")


def program():
    """Each name is a structure of three numbers: by value in memory, by a pointer, and as a member."""
    text, calls = "#define N __attribute__((noinline, noclone))\n", ""
    for n, name in enumerate(NAMES):
        text += (f"typedef struct {{ long first; short second; long third; }} {name};\nstruct holder{n} {{ int before; {name} inner; }};\n"
                 f"N void f{n}({name} value, {name} *pointer, struct holder{n} *holder) {{ __asm__ volatile(\"\" : : \"r\"(pointer), \"r\"(holder) : \"memory\"); }}\n")
        calls += (f"  {{ {name} one = {{ 1, -{n} - 1, 3 }}; struct holder{n} held = {{ 0, {{ 4, {n} + 100, 6 }} }}; f{n}(one, &one, &held); }}\n")
    return text + "int main(void) {\n" + calls + "  return 0;\n}\n"


def built(world, compiler, name, text):
    if not shutil.which(compiler):
        raise Skip(f"no {compiler}")
    source, to = world.path(name, text), world.path(name.replace(".", "_"))
    subprocess.run([compiler, "-w", "-g", "-O1", "-o", to, source], check=True, timeout=60 * patience)
    return to


@scenario()
def types_of_a_program_with_names_of_d(world):
    """By value, by pointer, as members: what the program has under the name, whatever D calls so."""
    script = "".join(f'pid$target:a.out:f{n}:entry {{ printf("{name} %d %d %d %d\\n", args[0].second, args[1]->second, args[2]->inner.second, sizeof(args[0])); }}\n'
                     for n, name in enumerate(NAMES))
    result = world.sonde("-q", "-s", world.path("names.d", script), "-c", built(world, "gcc", "names.c", program()))
    equal([line for line in result.stdout.splitlines() if line], [f"{name} {-n - 1} {-n - 1} {n + 100} 24" for n, name in enumerate(NAMES)], "members")


STRINGS = """#include <string>
#define N __attribute__((noinline, noclone))
N void by_value(std::string text, int n) { __asm__ volatile("" : : "r"(&text) : "memory"); }
N void by_reference(const std::string &text) { __asm__ volatile("" : : "r"(&text) : "memory"); }
int main() { std::string text("a text that is longer than the object that holds it"); by_value(text, 7); by_reference(text); }
"""


@scenario()
def a_string_of_cplusplus_is_no_string_of_d(world):
    """A class that cannot be copied as bytes is passed by its address, and args[0] is the object there."""
    text = 'copyinstr((uintptr_t){}_M_dataplus._M_p)'
    script = (f'pid$target:a.out:by_value*:entry {{ printf("%d %s %d\\n", args[0]._M_string_length, {text.format("args[0].")}, args[1]); }}\n'
              f'pid$target:a.out:by_reference*:entry {{ printf("%d %s\\n", args[0]->_M_string_length, {text.format("args[0]->")}); }}\n')
    result = world.sonde("-q", "-s", world.path("strings.d", script), "-c", built(world, "g++", "strings.cpp", STRINGS))
    words = "a text that is longer than the object that holds it"
    equal([line for line in result.stdout.splitlines() if line], [f"{len(words)} {words} 7", f"{len(words)} {words}"], "strings")
