# SPDX-License-Identifier: GPL-3.0-or-later
"""What ptrace does not show by itself: results that are known late, refused calls, the first return of a child."""

import re
import subprocess

from support import check, counts, equal, patience, scenario

REFUSED = ("syscall::getppid:entry, syscall::getuid:entry, syscall::sethostname:entry { @e[probefunc] = count(); } "
           "syscall::getppid:return /errno == 55/ { @r = count(); } ")
WHY_PTRACE = {"only": "ptrace", "why": "the kernel module shows the results as the kernel has them"}


def sandbox_is_seen(result):
    check("refused" in result.stdout, "the program's own line")
    equal(counts(result.stdout), {"getppid": 4, "getuid": 2, "sethostname": 1}, "calls")
    check(re.search(r"^\s+4$", result.stdout, re.M), f"returns with errno 55: {result.stdout}")


@scenario(only="ptrace", why="the module hears of a call behind the program's own filter")
def refused_calls_are_seen_started(world):
    """The program's own filter refuses them, so sonde's filter is not the only one."""
    for _ in range(20):  # its other thread may be entering a call, or sleep
        sandbox_is_seen(world.sonde("-q", "-n", REFUSED, "-c", world.program("sandbox")))


@scenario(only="ptrace", why="it is about both ways of attaching by ptrace")
def refused_calls_are_seen_attached(world):
    process = world.start([world.program("sandbox"), "wait"], stdin=subprocess.PIPE)
    sonde = world.start_sonde("-q", "-n", "BEGIN { printf(\"ready\\n\"); } " + REFUSED, "-p", str(process.pid))
    equal(sonde.stdout.readline(), "ready\n", "sonde's first line")
    output, _ = process.communicate("go\n", timeout=60 * patience)
    result = world.finish(sonde)
    result.stdout += output
    sandbox_is_seen(result)


@scenario(short=True, **WHY_PTRACE)
def interrupted_calls_say_what_the_program_got(world):
    """EINTR if the program gets it, the name of the restart error if the call is restarted; at the time of the return."""
    result = world.sonde(
        "-q", "-n", "syscall::read:return /errno == EINTR/ { @[\"read-EINTR\"] = count(); } "
        "syscall::read:return /errno == ERESTARTSYS/ { @[\"read-ERESTARTSYS\"] = count(); this->name = retstr; } "
        "syscall::clock_nanosleep:return /errno == EINTR/ { @[\"sleep-EINTR\"] = count(); } "
        "syscall::clock_nanosleep:return /errno == 0/ { @[\"sleep-0\"] = count(); } "
        "syscall::clock_nanosleep:return /errno == ERESTART_RESTARTBLOCK/ { @[\"sleep-again\"] = count(); } "
        "syscall::read:entry { self->since = timestamp; } "
        "syscall::read:return /self->since && timestamp < self->since/ { @[\"backwards\"] = count(); }",
        "-c", world.program("interrupted"))
    wanted = {name: int(n) for name, n in re.findall(r"^expect (\S+) (\d+)$", result.stdout, re.M)}
    equal({k: wanted[k] for k in ("read-EINTR", "read-ERESTARTSYS", "sleep-EINTR", "sleep-0")},
          {"read-EINTR": 6, "read-ERESTARTSYS": 4, "sleep-EINTR": 3, "sleep-0": 2}, "the program's lines")
    found = counts(result.stdout)
    for name in ("read-EINTR", "read-ERESTARTSYS", "sleep-EINTR"):
        equal(found.get(name), wanted[name], name)
    check("backwards" not in found, "a return before its entry")


@scenario()
def a_child_returns_from_its_own_fork(world):
    """Once in the parent with the pid, once in the child with 0, after proc:::start and before any event of the child."""
    result = world.sonde(
        "-q", "-n", "proc:::start { @n[\"start\"] = count(); self->started = 1; self->returned = 0; } "
        "syscall::fork:return, syscall::vfork:return, syscall::clone:return, syscall::clone3:return "
        "{ @n[arg1 == 0 ? \"child\" : \"parent\"] = count(); } "
        "syscall::fork:return, syscall::vfork:return, syscall::clone:return, syscall::clone3:return "
        "/arg1 == 0 && !self->started/ { @n[\"early\"] = count(); } "
        "syscall:::entry /self->started && !self->returned/ { @n[\"late\"] = count(); } "
        "syscall::fork:return, syscall::vfork:return, syscall::clone:return, syscall::clone3:return /arg1 == 0/ "
        "{ self->returned = 1; }", "-c", "sh -c '/bin/true; (exit 3); /bin/true | /bin/true; exit 0'")
    found = counts(result.stdout)
    equal(found.get("child"), found.get("start"), f"returns of children: {found}")
    equal(found.get("parent"), found.get("start"), f"returns of parents: {found}")
    check(found.get("start", 0) >= 4 and "early" not in found and "late" not in found, f"order: {found}")


LIBRARY = """__attribute__((noinline)) int early(int x) { __asm__ volatile(""); return x; }
__attribute__((constructor)) static void begin(void) { early(1); }
"""


@scenario(short=True, signals=True)
def constructors_of_libraries_are_seen(world):
    """The libraries are mapped and the probes armed before the constructors run; a name that no library has is an
    error."""
    source, library = world.path("early.c", LIBRARY), world.path("libearly.so")
    main = world.path("main.c", "int early(int); int main(void) { return early(0); }\n")
    program = world.path("uses-early")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    subprocess.run(["gcc", "-o", program, main, library], check=True)
    count = "pid$target:libearly.so:early:entry { @ = count(); }"
    for arguments, calls in (((), 2), (("-x", "evaltime=preinit"), 2), (("-x", "evaltime=postinit"), 1),
                             (("-Z", "-x", "evaltime=exec"), 2)):
        result = world.sonde("-q", *arguments, "-n", count, "-c", program)
        equal(result.stdout.split(), [str(calls)], f"calls with {arguments}")
    result = world.sonde("-q", "-n", "pid$target:libearly.so:late:entry { }", "-c", program, status=None)
    check(result.status != 0 and "late" in result.stderr, f"a function that is not there: {result.stderr}")


@scenario()
def a_probe_that_cannot_be_had_says_why(world):
    for name, why in (("tick-10000hz", "too short: the shortest is 200us"), ("tick-100us", "too short"),
                      ("profile:::tick-3furlongs", "is no rate"), ("signal:::clear", "no event source reports"),
                      ("proc:::fault", "signal:::deliver"), ("proc:::signal-clear", "no event source reports")):
        result = world.sonde("-q", "-n", name + " { }", "-c", "/bin/true", status=None)
        check(why in result.stderr and "does not match" not in result.stderr, f"{name}: {result.stderr}")
