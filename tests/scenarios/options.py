# SPDX-License-Identifier: GPL-3.0-or-later
"""-x: every option takes its values and refuses others."""

from support import check, equal, scenario, wait_until

ACCEPTED = """
-x argref -x argstr=plain -x aggrate=100ms -x aggsize=1m -x aggsortkey -x aggsortkeypos=0 -x aggsortpos=0 -x aggsortrev=no -x bufpolicy=switch
-x bufresize=auto -x bufsize=64k -x cleanrate=50hz -x defaultargs -x destructive -x droptags -x dynvarsize=1m -x errtags
-x evaltime=postinit -x flowindent=off -x quiet=yes -x rawbytes=false -x source=ptrace -x stackindent=4 -x statusrate=1s
-x strsize=64 -x switchrate=20ms -x syscall_arg_type -x ustackframes=10 -x verbose=no -x version=1.0 -x zdefs=on
""".split("-x ")[1:]

REFUSED = ("aggsize=0", "bufsize=-4", "bufsize=1b", "strsize=0", "quiet=maybe", "aggrate=soon", "ustackframes=many",
           "switchrate=", "bufpolicy=nosuch", "argstr=nosuch")


@scenario()
def options_take_their_values(world):
    """Each is accepted without a message; golden scripts test its effect (tests/checks/strip.py)."""
    for setting in ACCEPTED:
        result = world.sonde("-q", "-x", setting.strip(), "-n", "BEGIN { exit(0); }")
        equal((result.stdout.strip(), result.stderr), ("", ""), f"what -x {setting.strip()} prints")


@scenario()
def switchrate_says_when_output_comes(world):
    """The output of ticks appears when the buffers are read: every second, not every tenth of a second."""
    out = world.path("out", "")
    sonde = world.start_sonde("-q", "-o", out, "-x", "switchrate=1s", "-n", 'tick-10ms { printf("tick\\n"); }')
    first = wait_until(lambda: open(out, encoding="ascii").read(), what="the first output")
    sonde.terminate()
    world.finish(sonde)
    check(first.count("tick") >= 30, f"{first.count('tick')} ticks in the first output")


@scenario()
def syscall_arg_type_says_more(world):
    """The arguments of a call as text, with their types."""
    clause = 'syscall::openat:entry { printf("%s\\n", argstr); exit(0); }'
    plain, typed = (world.sonde("-q", *more, "-n", clause, "-c", "/bin/true").stdout for more in ((), ("-x", "syscall_arg_type")))
    check("int" in typed and "int" not in plain, f"{plain!r}, and with types {typed!r}")


@scenario()
def options_refuse_other_values(world):
    for setting in REFUSED:
        result = world.sonde("-x", setting, "-n", "BEGIN { exit(0); }", status=1)
        check(f"failed to set -x {setting.split('=')[0]}: Invalid value for specified option" in result.stderr,
              f"{setting}: {result.stderr!r}")
    result = world.sonde("-x", "nosuch=1", "-n", "BEGIN { exit(0); }", status=1)
    check("failed to set -x nosuch: Invalid option name" in result.stderr, f"{result.stderr!r}")


@scenario()
def options_by_pragma(world):
    result = world.sonde("-x", "errtags", "-n", "#pragma D option nosuch=1\nBEGIN { exit(0); }", status=1)
    check("[D_PRAGMA_OPTSET]" in result.stderr and "failed to set option 'nosuch' to '1': Invalid option name" in result.stderr,
          f"{result.stderr!r}")
    result = world.sonde("-n", "#pragma D option quiet\n#pragma D option strsize=4\nBEGIN { trace(\"abcdefgh\"); exit(0); }")
    equal(result.stdout, "abcd\n", "strsize")


@scenario()
def evaltime_says_when_tracing_begins(world):
    """exec: from the first instruction, with the dynamic linker's calls; postinit: after the dynamic linker is done."""
    found = {}
    for when in ("exec", "postinit"):
        result = world.sonde("-q", "-x", f"evaltime={when}", "-n",
                             "syscall::mmap:entry { @m = count(); } syscall::getppid:entry { @g = count(); } "
                             'END { printa("m %@d\\n", @m); printa("g %@d\\n", @g); }', "-c", f"{world.program('mixed')} 10")
        check("g 10" in result.stdout, f"{when}: {result.stdout!r}")
        found[when] = "m " in result.stdout
    equal(found, {"exec": True, "postinit": False}, "mmap seen")


@scenario(only="ptrace", why="the module sees the exec before the program is held")
def evaltime_exec_shows_the_exec(world):
    """If it is set explicitly: exec-success and the return of execve fire once, whether all calls stop or only the
    wanted ones. Otherwise neither fires."""
    clauses = ('proc:::exec-success /pid == $target/ { printf("%s up\\n", execname); } '
               'syscall::execve:return { printf("%s(%s) = %d\\n", probefunc, argstr, arg1); }')
    program = world.program("mixed")
    word = f'"{program}"' if len(program) <= 32 else f'"{program[:32]}"...'
    shown = f'mixed up\nexecve("{program}", [{word}, "1"], /* '
    for more in ("", " syscall:::entry { n++; }"):
        result = world.sonde("-q", "-x", "strsize=4k", "-x", "evaltime=exec", "-n", clauses + more, "-c", f"{program} 1")
        check(result.stdout.startswith(shown) and result.stdout.rstrip().endswith("*/) = 0"), f"set by name: {result.stdout!r}")
        equal(len(result.stdout.split("\n")), 4, f"lines of {result.stdout!r}")
    equal(world.sonde("-q", "-n", clauses, "-c", f"{program} 1").stdout, "\n", "by default")
