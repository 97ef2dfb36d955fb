# SPDX-License-Identifier: GPL-3.0-or-later
"""Error messages for the user, and exit statuses."""

import pathlib
import re

from support import Skip, check, equal, scenario


def caret(stderr, source):
    """The column of the caret, counted in `source`; None if line or caret is missing."""
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
    for status, arguments in ((2, ()), (2, ("-j",)), (2, ("-n",)), (0, ("-n", "BEGIN { exit(0); }")),
                              (7, ("-n", "BEGIN { exit(7); }")), (4, ("-n", "BEGIN { exit(7); } END { exit(4); }")),
                              (1, ("-s", "/nonexistent.d")), (1, ("-n", "BEGIN { exit(0); }", "-c", "/nonexistent/program")),
                              (0, ("-e", "-n", "BEGIN { trace(1); }")), (0, ("-V",)), (1, ("-x", "nosuch", "-n", "BEGIN { exit(0); }"))):
        world.sonde(*arguments, status=status)


@scenario()
def usage_goes_to_stderr(world):
    result = world.sonde("-j", status=2)
    check("invalid option -- 'j'" in result.stderr and "sage" in result.stderr, "no usage text")
    equal(result.stdout, "", "standard output")


@scenario()
def the_name_of_the_command_begins_messages(world):
    """If it is called through a link named dtrace, messages begin with that name."""
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


AS_ARMED = {
    ("returns", "entry"): ["+0x0 and $0x0F, %edi: emulated"],
    ("returns", "return"): ["+0x3 ret: emulated"],
    ("jumps", "return"): ["+0x0 jmp -0x04: emulated; a tail call"],
    ("jumps_if", "return"): ["+0x2 jz -0x08: emulated; a tail call where its condition holds, else it only costs a stop, some 5 us",
                             "+0x4 ret: emulated"],
    ("jumps_through", "return"): ["+0x0 jmp %rdi: emulated; a tail call where it leads outside, else it only costs a stop, some 5 us"],
    ("again", "entry"): ["+0x0 dec %edi: stepped", "+0x2 jnz -0x02: emulated; back to the first instruction, which is no entry"],
    ("again", "return"): ["+0x4 ret: emulated"],
    ("counts", "0"): ["+0x0 loop +0x00: no breakpoint can be here"],
    ("never", "return"): ["it never returns"],
    ("broken", "return"): ["the branch at 0x0 leads into the middle of an instruction"],
    ("broken", "0"): ["the branch at 0x0 leads into the middle of an instruction"],
}


@scenario(only="ptrace", why="another source arms otherwise")
def listed_with_how_it_would_be_armed(world):
    """-lv: each place of a probe and how a thread passes it, or why there is none."""
    result = world.sonde("-lv", "-n", "pid$target:a.out::", "-c", world.program("leaving"))
    found = {}
    for part in re.split(r"(?m)^ *\d+ +pid\d+ +", result.stdout)[1:]:
        _, function, name = part.split()[:3]
        lines = re.search(r"\t(?:Armed at|Not armed)\n((?:\t\t.*\n)+)", part)
        found[function, name] = [line.strip() for line in lines.group(1).splitlines()] if lines else []
    for probe, lines in AS_ARMED.items():
        equal(found.get(probe), lines, f"{probe}")


@scenario(only="ptrace", why="the kernel itself refuses instructions on kmod, and others")
def what_cannot_be_probed_is_said_in_a_line(world):
    """All instructions of all functions: one line for the functions that could not be decoded, and one for each file
    with instructions that cannot have a breakpoint, whatever their number and that of the probes."""
    result = world.sonde("-q", "-n", "pid$target:a.out:[bc]*: { }", "-c", world.program("leaving"))
    left_out = [line for line in result.stderr.splitlines() if "left out" in line]
    equal(len(left_out), 1, "lines of what is left out")
    check("2 probes are left out" in left_out[0] and "leads into the middle of an instruction" in left_out[0], left_out[0])
    equal(len(re.findall(r"no probe at .*leaving\+0x", result.stderr)), 1, f"lines of what cannot be stepped, in {result.stderr}")
    result = world.sonde("-q", "-n", "pid$target:libc.so.6:[a-m]*: { }", "-c", world.program("leaving"))
    lines = re.findall(r"no probe at (\d+) places of (\S+), such as \+0x", result.stderr)
    check(lines and int(lines[0][0]) > 100, result.stderr)
    files = re.findall(r"no probe at (?:\d+ places of )?([^ +,]+)", result.stderr)
    equal(len(files), len(set(files)), f"lines a file, in {result.stderr}")
    result = world.sonde("-q", "-n", "pid$target:*vdso*:: { }", "-c", world.program("leaving"))
    equal(result.stderr.count("no probe at"), 1, f"lines of the vdso, in {result.stderr}")


@scenario(only="ptrace", why="the kernel module attaches to no single process")
def kernel_threads_are_refused_as_such(world):
    def is_kernel_thread(entry):
        try:
            return int((entry / "stat").read_text().rpartition(")")[2].split()[6]) & 0x200000
        except OSError:  # the process has ended meanwhile
            return False
    threads = [entry.name for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit() and is_kernel_thread(entry)]
    if not threads:
        raise Skip("no kernel thread is seen here")
    result = world.sonde("-p", threads[0], status=1)
    equal(result.stderr, f"sonde: could not enable tracing: attach to pid {threads[0]}: a thread of the kernel runs no program that could be traced\n",
          "what it says")


@scenario()
def strings_that_fill_strsize_are_counted(world):
    """Once, at the end; not with -q, and not if all strings are shorter."""
    clause = 'syscall::write:entry /arg0 == 1/ { trace(copyinstr(arg1)); }'
    for more, said in ((["-x", "strsize=8"], "sonde: 1 string fills strsize, 8 bytes, and may be cut: -x strsize=N lets them be longer\n"),
                       (["-x", "strsize=8", "-q"], ""), ([], "")):
        result = world.sonde(*more, "-n", clause, "-c", "/bin/echo abcdefghijk")
        equal("".join(line + "\n" for line in result.stderr.splitlines() if "strsize" in line), said, f"what it says with {more}")
