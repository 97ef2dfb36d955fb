# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user is told when something is wrong, and the exit statuses."""

import re

from support import check, equal, scenario


def caret(stderr, source):
    """The column below which a caret stands, counted in `source`; None when line or caret is missing."""
    lines = stderr.splitlines()
    for line, below in zip(lines, lines[1:]):
        if source in line and re.fullmatch(r"[\s|]*\^[~^]*\s*", below):
            return below.index("^") - line.index(source)
    return None


@scenario()
def unknown_probe_is_explained(world):
    source = "syscall::opn:entry { trace(1); }"
    result = world.sonde("-n", source, status=1)
    check("probe description syscall::opn:entry does not match any probes" in result.stderr, "another message")
    column = caret(result.stderr, source)
    check(column is not None and 0 <= column <= source.index(":entry"), f"caret at {column}")
    check(re.search(r"\bopen\b", result.stderr), "it does not propose open")
    equal(result.stdout, "", "standard output")


@scenario()
def missing_parenthesis_is_explained(world):
    source = "syscall:::entry { @a = count(; }"
    result = world.sonde("-n", source, status=1)
    equal(caret(result.stderr, source), source.index(";"), "caret")
    check("syntax error" in result.stderr, "another message")
    check(")" in result.stderr.split(source)[-1] or "did you" in result.stderr, "it does not propose )")


@scenario()
def unknown_names_are_explained(world):
    for source, place, meant in (("BEGIN { trace(timestmp); }", "timestmp", "timestamp"),
                                 ('BEGIN { printff("x"); }', "printff", "printf"),
                                 ("BEGIN { @a = cuont(); }", "cuont", "count")):
        result = world.sonde("-n", source, status=1)
        equal(caret(result.stderr, source), source.index(place), f"caret in {source}")
        check(re.search(rf"\b{meant}\b", result.stderr), f"it does not propose {meant}")


@scenario()
def script_errors_name_the_line(world):
    script = world.path("bad.d", "BEGIN\n{\n\ttrace(nosuch);\n}\n")
    result = world.sonde("-x", "errtags", "-s", script, status=1)
    check(f"failed to compile script {script}: [D_IDENT_UNDEF] line 3: failed to resolve nosuch: Unknown variable name"
          in result.stderr, "another message")


@scenario()
def exit_statuses(world):
    for status, arguments in ((2, ()), (2, ("-y",)), (2, ("-n",)), (0, ("-n", "BEGIN { exit(0); }")),
                              (7, ("-n", "BEGIN { exit(7); }")), (4, ("-n", "BEGIN { exit(7); } END { exit(4); }")),
                              (1, ("-s", "/nonexistent.d")), (1, ("-n", "BEGIN { exit(0); }", "-c", "/nonexistent/program")),
                              (0, ("-e", "-n", "BEGIN { trace(1); }")), (0, ("-V",)), (1, ("-x", "nosuch", "-n", "BEGIN { exit(0); }"))):
        world.sonde(*arguments, status=status)


@scenario()
def usage_goes_to_stderr(world):
    result = world.sonde("-y", status=2)
    check("invalid option -- 'y'" in result.stderr and "sage" in result.stderr, "no usage text")
    equal(result.stdout, "", "standard output")


@scenario()
def the_name_of_the_command_begins_messages(world):
    """Called through a link of the name dtrace, messages begin with it."""
    link = world.home / "dtrace"
    link.symlink_to(world.binary)
    result = world.run([link, "-n", "BEGIN { exit(0); }"])
    check(result.stderr.startswith("dtrace: description 'BEGIN ' matched 1 probe"), f"{result.stderr!r}")
    result = world.sonde("-n", "BEGIN { exit(0); }")
    check(result.stderr.startswith("sonde: description 'BEGIN ' matched 1 probe"), f"{result.stderr!r}")


@scenario()
def default_output(world):
    result = world.sonde("-n", 'BEGIN { trace(42); trace("text"); exit(0); }')
    lines = result.stdout.splitlines()
    equal(lines[0], "CPU     ID                    FUNCTION:NAME", "header")
    cpu = int(lines[1][:3])
    equal(lines[1], f"{cpu:3d} {1:6d} {':BEGIN':>32s} " + f" {42:10d}" + f"  {'text':<33s}", "row")


@scenario()
def listing(world):
    result = world.sonde("-l", "-n", "syscall::open*:entry")
    lines = result.stdout.splitlines()
    equal(lines[0], f"{'ID':>5s} {'PROVIDER':>10s} {'MODULE':>17s} {'FUNCTION':>33s} NAME", "header")
    names = {line.split()[-2] for line in lines[1:]}
    check({"open", "openat", "openat2"} <= names and all(n.startswith("open") for n in names), f"functions {names}")
    result = world.sonde("-l", "-v", "-n", "syscall::openat:entry")
    check("args[1]: const char *" in result.stdout, "no argument types")


@scenario()
def one_program_with_macros(world):
    result = world.sonde("-q", "-n", 'BEGIN { printf("%d %s %s", $1, $$2, $$3); exit(0); }', "17", "word", "3x")
    equal(result.stdout.strip(), "17 word 3x", "macro arguments")
    result = world.sonde("-n", "BEGIN { exit(0); }", "superfluous", status=1)
    check("extraneous argument 'superfluous' ($1 is not referenced)" in result.stderr, "another message")


@scenario()
def destructive_needs_w(world):
    result = world.sonde("-n", 'BEGIN { system("echo hi"); exit(0); }', status=1)
    check("could not enable tracing: Destructive actions not allowed" in result.stderr, "another message")
    result = world.sonde("-w", "-q", "-n", 'BEGIN { system("echo hi"); exit(0); }')
    equal(result.stdout.strip(), "hi", "output of the command")
