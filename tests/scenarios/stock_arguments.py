# SPDX-License-Identifier: GPL-3.0-or-later
"""args[] of functions by their types, on a stock kernel: what ptrace reads, and what the program passed."""

import pathlib
import re

from stock_functions import own_copy, start_armed, stop
from stock_kernel import SOURCE, need_it
from support import check, equal, scenario


def clause(function, text, values, name="entry"):
    return f'pid$target:a.out:{function}:{name} {{ printf("{function} {text}\\n", {values}); }} '


WRITTEN = {  # in the order of the calls
    clause("small", "%d %d %d %d", "args[0], args[1], args[2], args[3]"): "small -100 200 -30000 60000",
    clause("large", "%d %u %d %u", "args[0], args[1], args[2], args[3]"): "large -7 4000000000 -1234567890123 18446744073709551615",
    clause("stacked", "%d %d %d", "args[5], args[6], args[7]"): "stacked 6 -70000 -8",
    clause("pair", "%d %d %d", "args[0].a, args[0].b, args[1]"): "pair -1234567890123 -77 66",
    clause("triple", "%d %d %d %s", "args[0], args[1].a, args[1].b, stringof(args[1].name)"): "triple 67 -5 6 on a stack",
    clause("bits", "%d %d %d", "args[0].low, args[0].middle, args[0].high"): "bits -3 1234 -99999999999",
    clause("nested", "%d %d %d %d %d", "args[0].first, args[0].inner.x, args[0].inner.y, args[0].last, args[1]"): "nested -300 -1 2 400000 68",
    clause("behind", "%d %d %d %s", "args[0]->id, args[0]->next->id, args[0]->next->pair.b, copyinstr((uintptr_t)args[1])"): "behind 7 8 22 some text",
    clause("mixed", "%d %d", "args[0].a, args[1]"): "mixed 31 69",
    clause("made", "%d %d", "args[1].a, args[1].b", "return"): "made -9876543210 70",
    clause("narrow", "%d", "args[1]", "return"): "narrow -71",
}


def lines(text):
    return [line for line in text.splitlines() if line[:1].isalpha()]


def check_both(world, program, clauses, wanted, what):
    """ptrace and bpf print the same, which is what was written; the program's own line has no letter at its beginning."""
    for source in (("-x", "source=ptrace"), SOURCE):
        result = world.sonde("-q", *source, "-n", clauses, "-c", program)
        equal(lines(result.stdout), wanted, f"{what}, {source[1]}: {result.stderr}")
        equal(result.stderr, "", f"{what}, {source[1]}")


@scenario()
def stock_arguments_by_their_types(world):
    """Integers of each size, structs in registers and on the stack, bit fields, members behind pointers, results."""
    need_it(world)
    for level in ("-O0", "-O2"):
        check_both(world, own_copy(world, world.program("typed_arguments", level)), "".join(WRITTEN), list(WRITTEN.values()), level)


def printed(world, source, clauses, program):
    """By sonde alone, in a file of its own; addresses differ from run to run."""
    out = world.path("printed", "")
    world.sonde("-q", "-o", out, *source, "-n", clauses, "-c", program)
    return re.sub("0x[0-9a-f]+", "ADDRESS", pathlib.Path(out).read_text())


@scenario()
def stock_arguments_as_a_whole(world):
    """Copies of whole arguments, in variables and by print(); in predicates, keys and aggregations, whichever the kernel keeps."""
    need_it(world)
    program = own_copy(world, world.program("typed_arguments", "-O2"))
    for clauses, some in (('pid$target:a.out:pair:entry { this->p = args[0]; print(&args[0]); trace(this->p.b); } pid$target:a.out:triple:entry { print(&args[1]); } pid$target:a.out:made:return { print(&args[1]); }', "-9876543210"),
                          ('pid$target:a.out:pair:entry /args[0].b == -77 && args[1] > 5/ { @[args[0].a] = sum(args[1]); } pid$target:a.out:nested:entry /args[0].inner.y != 2/ { @n = count(); }', "-1234567890123"),
                          ('pid$target:a.out:narrow:return { @q[args[1]] = quantize(args[1]); } pid$target:a.out:triple:entry { @t[args[1].b] = max(args[1].a); self->a = args[1].b; } '
                           'pid$target:a.out:triple:return /self->a/ { trace(self->a); }', " -5\n")):
        found = [printed(world, source, clauses, program) for source in (("-x", "source=ptrace"), SOURCE)]
        equal(found[1], found[0], clauses)
        check(some in found[0], f"{clauses}: {found[0]}")


@scenario()
def stock_arguments_at_taps_that_differ(world):
    """One clause for functions that have the argument in different places: a program, and a list of places for each."""
    need_it(world)
    check_both(world, own_copy(world, world.program("typed_arguments", "-O2")),
               'pid$target:a.out:pair:entry, pid$target:a.out:mixed:entry { printf("%s %d\\n", probefunc, args[1]); } '
               'pid$target:a.out:made:entry { printf("made %d\\n", args[1]); } pid$target:a.out:nested:entry, pid$target:a.out:pair:entry { printf("%s again %d\\n", probefunc, args[1]); }',
               ["pair 66", "pair again 66", "nested again 68", "mixed 69", "made 70"], "several functions")


@scenario()
def stock_arguments_of_methods(world):
    """`this`, strings by value and by reference, virtual methods, what comes behind a hidden result."""
    need_it(world)
    text = "copyinstr(*(uint64_t *){0}), ((uint64_t *){0})[1]"  # a string begins with the address of its text, and its length
    clauses = ('pid$target:a.out:Owner??take:entry { printf("take %d %d\\n", args[0]->id, args[2]); } '
               f'pid$target:a.out:Owner??look:entry {{ printf("look %d %s %d %d\\n", args[0]->id, {text.format("args[1]")}, args[2]); }} '
               'pid$target:a.out:Owner??hold:entry { printf("hold %d %d %d\\n", args[1].a, args[1].b, args[2]); } '
               'pid$target:a.out:Owner??act:entry { printf("act %d %d\\n", args[0]->id, args[1]); } '
               'pid$target:a.out:Owner??call?abi?cxx11?:entry { printf("call %d %d\\n", args[0]->id, args[1]); }')
    wanted = ["take 17 41", "look 17 by reference, and too long for its own room 43 -42", "hold -5000000000 -6 45", "act 17 43", "call 17 44"]
    for level in ("-O0", "-O2"):
        check_both(world, world.program("typed_objects", level), clauses, wanted, level)


@scenario()
def stock_arguments_in_every_process(world):
    """Without a target, by the path of a file: the source that auto takes reads them, too."""
    need_it(world)
    program = own_copy(world, world.program("typed_arguments", "-O2"))
    sonde, ready = start_armed(world, f'pid*:{program}:small:entry {{ printf("%d %d\\n", args[0], args[3]); }} pid*:{program}:narrow:return {{ printf("%d\\n", args[1]); }}')
    equal(world.run([program]).status, 0, "the program")
    text, messages = stop(world, sonde, ready)
    equal(text.split(), ["-100", "60000", "-71"], messages)


@scenario()
def stock_arguments_that_cannot_be_read(world):
    """A vector register is refused by name, with who can, where a script reads it: the other half of such a struct is there.
    What has no place is the fault that it is on ptrace."""
    need_it(world)
    program = own_copy(world, world.program("typed_arguments", "-O2"))
    for value in ("trace(args[0].b)", "print(&args[0])"):
        refused = world.sonde(*SOURCE, "-n", f"pid$target:a.out:mixed:entry {{ {value}; }}", "-c", program, status=1)
        for said in ("args[0] is in a vector register", "not traced, 1 of 1 places", pathlib.Path(program).name + "+0x", "-x source=", "ptrace"):
            check(said in refused.stderr, f"{value}: {said}: {refused.stderr}")
    beside = world.sonde("-q", "-o", world.path("out", ""), *SOURCE, "-n", 'pid$target:a.out:mixed:entry { trace(args[0].b); } pid$target:a.out:pair:entry { trace(args[1]); }', "-c", program)
    equal(pathlib.Path(world.path("out")).read_text().split(), ["66"], beside.stderr)
    check("not traced, 1 of 2 places" in beside.stderr, beside.stderr)
    for action in ("trace(args[1]);", "@ = sum(args[1]);"):
        said = [world.sonde("-q", *source, "-n", f"pid$target:a.out:tail:return {{ {action} }}", "-c", program).stderr for source in (("-x", "source=ptrace"), SOURCE)]
        for text in said:
            check("args[1] cannot be read here" in text, f"{action}: {said}")


@scenario()
def stock_arguments_by_structures_of_the_file(world):
    """Without a target: structures, members behind pointers and casts by the types of the file that the probe names."""
    need_it(world)
    program = own_copy(world, world.program("typed_arguments", "-O2"))
    sonde, ready = start_armed(world, f'pid*:{program}:pair:entry {{ printf("%d %d\\n", args[0].a, args[0].b); }} '
                                      f'pid*:{program}:behind:entry {{ printf("%d %d %d\\n", args[0]->next->id, ((struct node *)arg0)->id, sizeof (struct node) > 8); }}')
    equal(world.run([program]).status, 0, "the program")
    text, messages = stop(world, sonde, ready)
    equal(text.split(), ["-1234567890123", "-77", "8", "7", "1"], messages)
