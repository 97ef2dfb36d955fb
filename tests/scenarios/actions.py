# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions and built-in variables that need a real program: stacks, symbols, memory, signals, descriptors."""

import contextlib
import os
import re
import signal
import time

from commands import last_tick
from support import check, counts, equal, scenario, state_of, wait_until


@scenario(short=True, signals=True)
def ustack_names_functions(world):
    """The user stack of malloc's caller, traced and as a key."""
    program = world.program("mallocs")
    result = world.sonde("-q", "-n", "BEGIN { done = 0; } pid$target:libc*:malloc:entry /!done/ { done = 1; ustack(); }", "-c", f"{program} 1 5")
    frames = [line.strip() for line in result.stdout.splitlines() if "`" in line]
    check(re.match(r"libc\.so\.6`.*malloc", frames[0]), f"innermost frame {frames[:1]}")
    check(any(frame.startswith("mallocs`") and "+0x" in frame for frame in frames), f"frames {frames}")
    result = world.sonde("-q", "-n", "pid$target:libc*:malloc:entry { @[ustack(1)] = count(); }", "-c", f"{program} 4 50")
    equal(re.findall(r"^ +(\d+)$", result.stdout, re.M), ["200"], "one stack, 200 times")


@scenario(signals=True)
def user_symbols_as_keys(world):
    clause = ("pid$target:a.out:one_round:entry { @s[usym(uregs[R_PC])] = count(); @f[ufunc(uregs[R_PC])] = count(); "
              "@m[umod(uregs[R_PC])] = count(); @a[uaddr(uregs[R_PC])] = count(); "
              "@same[ucaller != 0, ustackdepth > 0] = count(); }")
    result = world.sonde("-q", "-n", clause, "-c", f"{world.program('worker')} {world.path('result')} 10")
    names = [line.split()[0] for line in result.stdout.splitlines() if "worker" in line]
    equal(names, ["worker`one_round", "worker`one_round", "worker", "worker`one_round"], "usym, ufunc, umod, uaddr")
    check(re.search(r"^ +1 +1 +40$", result.stdout, re.M), "ucaller and ustackdepth")


@scenario(short=True)
def copyin_reads_bytes(world):
    clause = ("syscall::write:entry /arg0 == 1/ { this->p = (char *)copyin(arg1, 5); "
              'printf("%c%c %d\\n", this->p[0], this->p[4], arg2); tracemem(copyin(arg1, 5), 5); }')
    result = world.sonde("-q", "-n", clause, "-c", "/bin/echo hello")
    check("ho 6\n" in result.stdout, f"{result.stdout!r}")
    check(re.search(r"0: 68 65 6c 6c 6f +hello", result.stdout), "the dump")


@scenario(short=True)
def raise_sends_a_signal(world):
    ticks = world.path("ticks")
    clause = "BEGIN { n = 0; } syscall::getppid:entry /++n == 5/ { raise(SIGKILL); } END { printf(\"%d calls\", n); }"
    result = world.sonde("-w", "-q", "-n", clause, "-c", f"{world.program('ticker')} {ticks} 500")
    check("5 calls" in result.stdout, result.stdout)
    world.expect_nothing_left()


@scenario(short=True)
def stop_stops_the_program(world):
    """It stays stopped, although everything that it waits for has happened, until it is continued."""
    ticks = world.path("ticks")
    clause = 'BEGIN { n = 0; } syscall::getppid:entry /++n == 5/ { stop(); printf("stops\\n"); }'
    sonde = world.start_sonde("-w", "-q", "-n", clause, "-c", f"{world.program('ticker')} {ticks} 0")
    equal(sonde.stdout.readline(), "stops\n", "the clause's output")
    pid = int(open(ticks, encoding="ascii").read().split()[1])
    open(f"{ticks}.end", "w", encoding="ascii").close()  # it now ends within one tick

    def stands():
        """Whether it is stopped in each of ten checks, during ten ticks."""
        for _ in range(10):
            state = state_of(pid, pid)
            check(state is not None and last_tick(ticks) != "done", "the program did not stop")
            if state not in "tT":
                return False
            time.sleep(0.02)
        return True

    wait_until(stands, what="the program's stop")

    def goes_on():
        """The time until it stops is unknown, so a SIGCONT may come before."""
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.kill(pid, signal.SIGCONT)
        return last_tick(ticks) == "done"

    wait_until(goes_on, what="the program's end", pause=0.02)
    equal(world.finish(sonde).status, 0, "exit status")


@scenario()
def destructive_without_w_is_refused(world):
    for action in ("stop()", "raise(9)", 'system("true")'):
        result = world.sonde("-n", f"BEGIN {{ {action}; }}", status=1)
        check("Destructive actions not allowed" in result.stderr, action)


@scenario(short=True)
def who_and_where(world):
    """Process variables, checked against what the program itself prints."""
    clause = ('BEGIN { done = 0; } syscall::write:entry /arg0 == 1 && execname == "sh" && !done/ { done = 1; printf("%s %d %d %d %d %s %s %s [%s] %d %d %d %s\\n", '
              'execname, pid == $target, tid == pid, uid, gid, cwd, root, zonename, curpsinfo->pr_psargs, '
              'curlwpsinfo->pr_lwpid == tid, curpsinfo->pr_ppid == ppid, cpu >= 0, probeprov); }')
    script = world.path("say.sh", "echo said\n")
    result = world.sonde("-q", "-n", clause, "-c", f"sh {script}")
    wanted = f"sh 1 1 {os.getuid()} {os.getgid()} {world.home} / global [sh {script}] 1 1 1 syscall"
    check(wanted in result.stdout.splitlines(), f"found {result.stdout!r}, wanted {wanted!r}")


@scenario()
def arguments_typed_and_as_text(world):
    """args[], and the classic view: sys_openat(dfd: ffffff9c, filename: 7f..., flags: 0, mode: 0), sys_openat -> 0x3."""
    name = world.path("there", "12345")
    clause = ('syscall::openat:entry { printf("%s|sys_%s(%s)\\n", copyinstr((uintptr_t)args[1]), probefunc, argstr); } '
              'syscall::openat:return { printf("sys_%s -> %s|%d %d\\n", probefunc, retstr, (int)arg0 == (int)arg1, errno); }')
    out = world.path("traced", "")
    world.sonde("-q", "-x", "argstr=classic", "-o", out, "-n", clause, "-c", f"cat {name} /nonexistent/x")
    lines = open(out, encoding="utf-8").read().splitlines()
    view = r"sys_openat\(dfd: ffffff9c, filename: [0-9a-f]+, flags: 0, mode: 0\)"
    entry = [i for i, line in enumerate(lines) if re.fullmatch(re.escape(name) + r"\|" + view, line)]
    check(entry and lines[entry[0] + 1] == "sys_openat -> 0x3|1 0", f"entry and return {lines}")
    missing = [i for i, line in enumerate(lines) if re.fullmatch(r"/nonexistent/x\|" + view, line)]
    check(missing and lines[missing[0] + 1].endswith("|1 2"), f"the failing call {lines}")


@scenario(short=True)
def descriptors_have_names(world):
    name = world.path("input", "12345")
    clause = 'syscall::read:entry /fds[arg0].fi_name == "input"/ { printf("%s %s\\n", fds[arg0].fi_pathname, fds[arg0].fi_dirname); }'
    result = world.sonde("-q", "-n", clause, "-c", f"cat {name}")
    check(f"{name} {os.path.dirname(name)}" in result.stdout.splitlines(), result.stdout)


@scenario(short=True)
def process_life(world):
    """proc: create, start, exec, exit and threads; the counts match what calls.c does."""
    clause = ("proc:::create,proc:::start,proc:::exec-success,proc:::exit,proc:::lwp-start,proc:::lwp-exit "
              "{ @[probename] = count(); } proc:::exit { @codes[args[0]] = count(); }")
    result = world.sonde("-q", "-n", clause, "-c", world.program("calls"))
    found = counts(result.stdout)
    equal({k: found.get(k) for k in ("create", "start", "exec-success", "exit")},
          {"create": 8, "start": 8, "exec-success": 1, "exit": 9}, "processes")
    check(found.get("lwp-start", 0) >= 4 and found.get("lwp-exit", 0) >= 4, f"threads {found}")
    check(re.search(r"^ +1 +9$", result.stdout, re.M), "nine exits with CLD_EXITED")


@scenario()
def exec_failure_is_seen(world):
    clause = 'proc:::exec-failure { printf("failed %d\\n", args[0]); } proc:::exec { printf("try %s\\n", args[0]); }'
    result = world.sonde("-q", "-n", clause, "-c", "env /nonexistent/program")
    check("try /nonexistent/program" in result.stdout and "failed 2" in result.stdout, result.stdout)


@scenario(short=True)
def signals_seen(world):
    """signal: which signals are sent, delivered to a handler, and discarded, and their senders."""
    script = world.path("signals.sh", "trap 'true' USR1\ntrap '' USR2\nkill -USR1 $$\nkill -USR1 $$\nkill -USR2 $$\nkill -WINCH $$\ntrue\n")
    result = world.sonde("-l", "-P", "signal")
    equal([line.split()[-1] for line in result.stdout.splitlines()[1:]], ["deliver", "discard", "send"], "probes of the provider")
    clause = """signal:::send /args[1] == $target/ { @["send", args[0]] = count(); }
        signal:::deliver /args[2] == $target && args[3] != 0/ { @["deliver", args[0]] = count(); }
        signal:::discard /args[2] == $target/ { @["discard", args[0]] = count(); }
        proc:::signal-discard { @["proc", args[2]] = count(); }"""
    result = world.sonde("-q", "-n", clause, "-c", f"sh {script}")
    usr1, usr2, winch = (str(int(one)) for one in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH))
    equal(counts(result.stdout), {("send", usr1): 2, ("send", usr2): 1, ("send", winch): 1, ("deliver", usr1): 2,
                                  ("discard", usr2): 1, ("discard", winch): 1, ("proc", usr2): 1, ("proc", winch): 1}, "what is seen")


@scenario()
def flow_is_indented(world):
    result = world.sonde("-F", "-n", "syscall::getppid:entry,syscall::getppid:return {}", "-c", f"{world.program('mixed')} 2")
    lines = result.stdout.splitlines()
    equal(lines[0], f"{'CPU':>3s} {'FUNCTION':<41s}", "header")
    equal([line[4:].rstrip() for line in lines[1:5]], [" => getppid", " <= getppid"] * 2, "rows")


@scenario(short=True, signals=True)
def six_arguments(world):
    """Raw arguments of a system call and of a function, and their return values."""
    show = 'printf("%d %d %d %d %d %d\\n", (int)arg0, (int)arg1, (int)arg2, (int)arg3, (int)arg4, (int)arg5);'
    result = world.sonde(
        "-q", "-n", f"syscall::copy_file_range:entry,pid$target:a.out:take:entry {{ {show} }} "
        'syscall::copy_file_range:return { printf("error %d\\n", errno); } pid$target:a.out:take:return { printf("value %d\\n", arg1); }',
        "-c", world.program("arguments"))
    equal(result.stdout.splitlines()[:4], ["-11 12 -13 14 15 16", "error 9", "1 2 3 4 5 6", "value 654321"], "arguments")
    result = world.sonde("-q", "-n", 'pid$target:a.out:take_seven:entry { printf("%d\\n", (int)arg6); }', "-c", world.program("arguments"))
    equal(result.stdout.splitlines()[0], "77", "the seventh argument")


@scenario()
def print_shows_what_an_argument_points_to(world):
    """The pointer is one of the program: the memory there is copied, and printed with the program's address."""
    result = world.sonde("-q", "-n", 'pid$target:a.out:visit:entry { printf("%x:", arg0); print(args[0]); print((node_t *)arg0); }',
                         "-c", world.program("structs", "-O0"), status=None)
    equal(result.stderr, "", "messages")
    shown = re.match(r"(\w+):0x\1 = \*", result.stdout)
    check(shown, f"the address: {result.stdout}")
    for member in (".id = (int)7,", ".label = (char *)0x", ".colour = (enum colour)GREEN,", ".x = (short)5,"):
        equal(result.stdout.count(member), 2, f"{member} in {result.stdout}")
