# SPDX-License-Identifier: GPL-3.0-or-later
"""Function probes of a process also fire in those that it forks, until they execute another program; with
-x followforks=no, only in the process itself. Each count is compared with the program's own."""

import re

from support import at_rest, attached_to, check, counts, equal, patience, scenario, wait_until

WAYS = ("fork", "vfork", "clone", "shared", "clone3", "twice", "thread", "exec", "dlopen")
NAMES = {"entry": "entry", "return": "return", "3": "offset"}
CLAUSES = "".join(f'pid$target:a.out:job:{name} {{ @["{key}", probeprov == strjoin("pid", lltostr($target)) ? "target" : '
                  f'probeprov, pid == $target ? "own" : "other"] = count(); }} ' for name, key in NAMES.items())


def said(text):
    """The program's report: {before: N, forks: N, exec: N, plug: N}; nothing before it."""
    check(re.fullmatch(r"before \d+ forks \d+ exec \d+ plug \d+\n", text), f"the program says {text!r}")
    words = text.split()
    return {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}


def traced_by_c(world, ways, clauses, *options):
    out = world.path("counts.out", "")
    program = world.program("forked")
    result = world.sonde("-q", *options, "-o", out, "-n", clauses, "-c", f"{program} {' '.join(ways)}",
                         env={"PLUGIN": world.program("forked", "-DPLUGIN", "-shared", "-fPIC")})
    return said(result.stdout), counts(open(out, encoding="utf-8").read()), result


def traced_by_p(world, ways, clauses, *options):
    program = world.start([world.program("forked"), "wait", *ways], stdin=-1,
                          env={"PLUGIN": world.program("forked", "-DPLUGIN", "-shared", "-fPIC")})
    wait_until(lambda: open(f"/proc/{program.pid}/task/{program.pid}/children").read(), what="the early child")
    sonde = world.start_sonde("-q", *options, "-n", clauses, "-p", str(program.pid))
    wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="the attach")
    program.stdin.write("\n")
    program.stdin.flush()
    text, _ = program.communicate(timeout=120 * patience)
    return said(text), counts(world.finish(sonde).stdout)


def check_counts(report, found, follows, ways):
    for key in NAMES.values():
        own = found.get((key, "target", "own"), 0)
        equal(own, len(ways), f"the process's own hits, {key}")
        equal(own + found.get((key, "target", "other"), 0), report["forks"] if follows else own, f"all hits, {key}")
    equal(sum(found.values()), 3 * (report["forks"] if follows else len(ways)), "no others")


@scenario(short=True)
def forks_of_each_kind_count(world):
    report, found, _ = traced_by_c(world, WAYS, CLAUSES)
    equal(report, {"before": 0, "forks": 3 * len(WAYS) + 2, "exec": 5, "plug": 3}, "what the program has done")
    check_counts(report, found, True, WAYS)
    for way in WAYS:
        report, found, _ = traced_by_c(world, [way], CLAUSES)
        check_counts(report, found, True, [way])


@scenario()
def forks_do_not_count_without_followforks(world):
    report, found, _ = traced_by_c(world, WAYS, CLAUSES, "-x", "followforks=no")
    check_counts(report, found, False, WAYS)


@scenario(short=True)
def forks_of_an_attached_process_count(world):
    """Children that it had before do not."""
    for options in ([], ["-x", "followforks=no"]):
        report, found = traced_by_p(world, WAYS, CLAUSES, *options)
        equal(report["before"], 2, "the early child")
        check_counts(report, found, not options, WAYS)


@scenario(short=True)
def library_that_a_fork_opens(world):
    clauses = 'pid$target:forked-D*:plug:entry, pid$target:forked-D*:plug:return { @[probename] = count(); }'
    report, found, _ = traced_by_c(world, ["fork", "dlopen", "dlopen"], clauses, "-Z")
    equal(report["plug"], 6, "the program's own count")
    equal(found, {"entry": 6, "return": 6}, "hits in the library")
    _, found, _ = traced_by_c(world, ["dlopen"], clauses, "-Z", "-x", "followforks=no")
    equal(found, {}, "without followforks")
    report, found = traced_by_p(world, ["dlopen"], clauses, "-Z")
    equal(found, {"entry": 3, "return": 3}, "attached")


@scenario()
def forks_of_forks(world):
    """A tree of 40 processes; another, of processes that live at the same time and then run a shell."""
    out = world.path("counts.out", "")
    for program, probe, calls in ((f"{world.program('fork_tree')} 3 3", "f", 200), (f"{world.program('many_forks')} 100", "f", 501)):
        plain = world.run(program.split())
        result = world.sonde("-q", "-o", out, "-n", f"pid$target:a.out:{probe}:entry {{ @ = count(); }}", "-c", program)
        equal(result.stdout, plain.stdout, "as untraced")
        equal(int(open(out, encoding="utf-8").read()), calls, "entries")
        open(out, "w", encoding="utf-8").close()
