# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that do what few do, with a probe on each of their functions: they print and end as untraced, and the calls are those
that they make. And programs of others that hide, move or guard their memory. --full: 20 times."""

import os
import pathlib
import re
import resource
import shutil
import subprocess

from support import Skip, counts, equal, scenario, source_here

EVERY = "pid$target:a.out::entry { @[probefunc] = count(); }"
ALSO = " syscall:::entry, syscall:::return { @c = count(); } profile-997 { @s[ustack()] = count(); }"
# program, its arguments, the compiler's flags, and the calls of its functions that it always makes
PROGRAMS = (
    ("guard_page", "", (), {"h": 1, "w": 1}),
    ("nested_function", "", ("-fpatchable-function-entry=5",), {"foo": 1}),
    ("vfork_threads", "1", (), {"run": 4}),
    ("self_exec", "5", (), {"f": 60, "main": 6}),
    ("short_threads", "200 8 5", (), {"f": 1000, "w": 200}),
    ("user_dispatch", "", (), {"on_sigsys": 10}),
    *(("blocked_trap", f"{mask} {beside}", (), {"work": 500} if beside != "thread" else {"main": 1})
      for mask in ("alone", "two", "all") for beside in ("nothing", "dispatch", "thread")),
    ("flag_readers", "", (), {"fl": 50}),
    ("relations", "", (), {"main": 1}),
    ("moving_text", "plain", ("-ldl",), {"f": 20}),
    ("moving_text", "protect", ("-ldl",), {"f": 20}),
    ("moving_text", "move", ("-ldl",), {"f": 20}),
    ("moving_text", "copy", ("-ldl",), {"main": 1}),  # calls of the copy do not fire, and a line says so
    ("huge_text", "", ("-ldl",), {"f": 30, "ten": 3}),
)


@scenario(only="ptrace", why="only a tracer writes to the program's own memory")
def programs_that_few_write(world):
    """By root with function probes alone, by an ordinary user also with each system call and samples."""
    user = world.as_user()
    # Before Linux 6.4 ptrace does not show that a thread's calls are dispatched.
    shown = tuple(int(part) for part in os.uname().release.split(".")[:2]) >= (6, 4)
    for name, arguments, flags, wanted in PROGRAMS:
        if arguments.endswith(" dispatch") and not shown:
            continue
        for of, script in ((world, EVERY), (user, EVERY + ALSO)):
            program = of.program(name, "-Wl,--no-as-needed", *flags) if flags else of.program(name)
            for _ in range(20 if world.full else 1):
                is_as_untraced(of, script, f"{program} {arguments}", wanted)


def is_as_untraced(world, script, command, wanted):
    plain = world.run(["sh", "-c", f"{command}; exit $?"])  # a child of the shell, as it is one of sonde
    out = world.path("counts", "")
    result = world.sonde("-q", "-o", out, "-n", script, "-c", command, status=None)
    what = f"{command}: {result.stderr}"
    equal(result.stdout, plain.stdout, what)
    found = counts(pathlib.Path(out).read_text(encoding="utf-8"))
    equal({function: found.get(function) for function in wanted}, wanted, what)
    equal(result.status, 0, what)


@scenario(short=True)
def handlers_that_interrupt_each_other(world):
    """On a stack of their own, and left by siglongjmp(): each call has one hit, as the program counts them. With the module
    the hits of g(), which begins with `rep movsb`, may be too many or too few (docs/kernel-module.md)."""
    for of in (world, world.as_user()):
        out = of.path("counts", "")
        result = of.sonde("-q", "-o", out, "-n", EVERY, "-c", of.program("nested_handlers"))
        equal(result.stdout, "wrong 0, jumps many, copy whole\n", "the program")
        own = {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", result.stderr)}
        found = counts(pathlib.Path(out).read_text(encoding="utf-8"))
        if source_here() == "kmod":
            del own["g"]
        equal({name: found.get(name) for name in own}, own, "calls")


@scenario(only="ptrace", why="the module needs no descriptor for a process")
def more_living_children_than_descriptors(world):
    """Each child has the probe's breakpoints; no memory is said to be out of reach, and nothing is lost."""
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    program = world.program("many_forks")
    plain = world.run([program, "300"], preexec_fn=few)
    out = world.path("counts", "")
    result = world.sonde("-q", "-o", out, "-n", "pid$target:a.out:f:entry { @[probefunc] = count(); }", "-c", f"{program} 300", preexec_fn=few, status=None)
    equal((result.stdout, result.stderr, result.status), (plain.stdout, "", 0), "output, messages, status")
    equal(counts(pathlib.Path(out).read_text(encoding="utf-8")), {"f": 1501}, "calls")


def needs(tool):
    if not shutil.which(tool):
        raise Skip(f"no {tool}")


def stays_as_untraced(world, script, command, env=None, before=None, rounds=(1, 20), options=()):
    """`command` prints the same as untraced, paths and process numbers aside, and sonde ends with 0."""
    def printed(text):
        return re.sub(r"/\S+|\d{3,}", "", text)
    plain = world.run(["sh", "-c", command], env=env, preexec_fn=before)
    for number in range(rounds[1] if world.full else rounds[0]):
        result = world.sonde("-q", *options, "-o", "/dev/null", "-n", script, "-c", command, env=env, preexec_fn=before, status=None)
        what = f"round {number}: {result.stderr}"
        equal(printed(result.stdout), printed(plain.stdout), what)
        equal((result.status, "SIGTRAP" in result.stderr), (0, False), what)
    world.expect_nothing_left()


@scenario(only="ptrace", why="only a tracer writes to the program's own memory")
def an_agent_that_guards_its_memory(world):
    """ssh-agent makes itself undumpable and forks; sonde is run by an ordinary user."""
    needs("ssh-agent")
    user = world.as_user()
    script = user.path("ask", "#!/bin/sh\nexec ssh-agent sh -c 'ssh-add -l; true'\n")
    stays_as_untraced(user, "pid$target:libc*:malloc:entry { @ = count(); }", script)


@scenario(only="ptrace", why="only a tracer writes to the program's own memory")
def node_on_large_pages(world):
    needs("node")
    library = subprocess.run(["gcc", "-print-file-name=libm.so.6"], capture_output=True, text=True, check=True).stdout.strip()
    script = world.path("opens.js", f"try {{ process.dlopen({{exports: {{}}}}, '{library}') }} catch (error) {{}}\nconsole.log('end')\n")
    stays_as_untraced(world, "pid$target:a.out:uv_*:entry { }", f"node --use-largepages=on {script}")


@scenario(only="ptrace", why="only a tracer writes to the program's own memory")
def php_on_large_pages(world):
    needs("php")
    script = world.path("opens.php", "<?php for ($i = 0; $i < 50; $i++) echo strlen(str_repeat('x', $i)); echo iconv('SHIFT_JIS', 'UTF-8', 'abc');\n")
    stays_as_untraced(world, "pid$target:a.out:zend_*:entry { }",
                      f"php -d opcache.enable=1 -d opcache.enable_cli=1 -d opcache.huge_code_pages=1 {script}")


@scenario(only="ptrace", why="only a tracer writes to the program's own memory")
def a_sanitized_program_without_leaks(world):
    program = world.program("hidden", "-fsanitize=address")
    stays_as_untraced(world, "pid$target:a.out::entry { @ = count(); }", program, env={"ASAN_OPTIONS": "detect_leaks=0"})


@scenario(only="ptrace", why="only a tracer writes to the program's own memory")
def a_program_that_valgrind_translates(world):
    """With -p it is refused (bytes.py). Started by sonde, valgrind reads the program's text from its file, where no breakpoint is."""
    needs("valgrind")
    script = world.path("translated", f"#!/bin/sh\nexec valgrind -q {world.program('holders')} none < /dev/null\n")
    for probes in ("pid$target:a.out::entry { @ = count(); }", "pid$target:holders::entry, syscall:::entry { @ = count(); }"):
        stays_as_untraced(world, probes, f"sh {script}", options=["-Z"])
