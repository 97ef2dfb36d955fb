# SPDX-License-Identifier: GPL-3.0-or-later
"""What Tab offers behind "." and "->", of processes, and of their functions."""


from support import check, scenario
from terminal import Terminal

# What is typed, and what Tab adds.
ONE = (
    ("BEGIN /curpsinfo->pr_fn", "ame"),
    ("BEGIN { this->p = (struct own *)arg0; trace(this->p->next->al", "pha"),
    ("BEGIN { trace(this->own_var", "iable"),
    ("BEGIN { self->mine = 1; self->mi", "ne"),
    ("io:::start { @[args[0]->b_bc", "ount"),
    ("BEGIN { trace(fds[0].fi_p", "athname"),
    ("BEGIN { trace(own_glo", "bal"),
    ("pid$ta", "rget:"),
    ("pid$target:memb", "ers"),
    ("pid$target:a.out:vis", "it:"),
    ("pid$target:a.out:visit:en", "try"),
    ("pid$target:a.out:visit:entry { trace(args[0]->next->place.co", "lumn"),
    ("pid$target:a.out:visit:entry /args[1]->r", "ow"),
    ("pid$target:a.out:visit:entry { trace(((item_t *)arg0)->nu", "mber"),
)
# What two Tabs list.
LISTS = (
    ("pid$target:a.out:visit:entry { trace(args[0]->", ("half", "int"), ("label", "char [8]"), ("next", "struct item *"), ("place", "struct place"), ("whole", "long")),
    ("BEGIN { trace(((struct own *)arg0)->", ("alpha", "int"), ("next", "struct own *")),
    ("pid$target:", ("a.out", "the program itself"), ("libc.so.6", "/")),
    ("syscall::*getppid*:", ("entry", "1 probe"), ("return", "1 probe")),
    (":target 1", ("1", " ")),
)


@scenario()
def prompt_completes_members(world):
    """Members by the compiler's types, of D's own, of declarations at the prompt, of a target's debug information."""
    terminal = Terminal(world, [world.binary, "--repl"])
    try:
        terminal.send("struct own { int alpha; struct own *next; };\n")
        terminal.send("int own_global;\n")
        terminal.send("BEGIN { this->own_variable = 1; }\n")
        terminal.expect("clause 3 matched 1 probe")
        terminal.send(f":target {world.program('members', '-g')}\n")
        terminal.expect("started members")
        for typed, added in ONE:
            terminal.send(typed)
            terminal.expect(typed)
            terminal.send("\t")
            terminal.expect(added)
            terminal.send("\x15")
        for typed, *lines in LISTS:
            terminal.send(typed)
            terminal.expect(typed)
            terminal.send("\t\t")
            for name, note in lines:
                terminal.expect(f"\n{name}")
                terminal.expect(note)
            terminal.expect("sonde> ")
            terminal.send("\x15")
        terminal.send("BEGIN { nosuch->\t\t\x15:clauses\n")
        before = terminal.expect("3  BEGIN")
        check("alpha" not in before.split("nosuch")[1].split(":clauses")[0], f"members of what has none: {before}")
    finally:
        terminal.close()
