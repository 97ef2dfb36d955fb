# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes that programs bring along (USDT): a generated program prints what each of its probes passes, and sonde must print the same."""

import itertools
import os
import pathlib
import re
import shutil
import subprocess

from stock_kernel import SOURCE as BPF, need_it
from support import Skip, check, equal, scenario, source_here, wait_until

# probe: (C type, expression of i, conversion) for each argument. The conversion is C's and D's; s: a text in the program.
FORMS = {
    "signed_small": [("signed char", "-i", "d"), ("short", "-300 - i", "d"), ("int", "i * -7", "d")],
    "unsigned__small": [("unsigned char", "200 + i % 50", "u"), ("unsigned short", "60000u + i", "u"), ("unsigned", "4000000000u + i", "u")],
    "words": [("long", "-1L - i", "d"), ("unsigned long", "0x8000000000000000ul + i", "u"), ("long long", "i * 0x100000001ll", "d")],
    "texts": [("const char *", "names[i % 3]", "s"), ("int", "i % 3", "d"), ("const char *", '"constant"', "s")],
    "constants": [("int", "5", "d"), ("int", "-5", "d"), ("unsigned short", "60000", "u"), ("long", "-0x7fffffffffffffffL", "d"), ("signed char", "-128", "d")],
    "elements": [("int", "table[i % 8]", "d"), ("short", "shorts[i % 8]", "d"), ("unsigned char", "bytes[i % 8]", "u")],
    "globals": [("int", "global_count", "d"), ("short", "global_short", "d"), ("long", "second.member", "d")],
    "own_of_thread": [("int", "of_thread", "d")],
    "address": [("const char *", "global_text", "s")],
    "high_byte": [("unsigned char", "(unsigned char)((unsigned)(i * 259) >> 8)", "u"), ("unsigned char", "(unsigned char)(i * 259)", "u")],
    "twelve": [("int", f"i + {n}", "d") for n in range(12)],
    "numbers": [("double", "i * 2.5", "f"), ("float", "i * 0.5f", "f")],
    "nothing": [],
}
ROUNDS = 400

PROGRAM = """
#include <sys/sdt.h>
#include <stdio.h>
#include <string.h>
%(counters)s
static const char *names[] = {"first", "second", "third"};
static int table[8] = {-1, 2, -3, 4, -5, 6, -7, 8};
static short shorts[8] = {-10, 20, -30, 40, -50, 60, -70, 80};
static unsigned char bytes[8] = {1, 2, 250, 4, 5, 255, 7, 8};
int global_count;
short global_short;
struct { int unused; long member; } second;
char global_text[8] = "global";
static __thread int of_thread;

static __attribute__((noinline)) void fire(int i) {
  global_count = -i, global_short = (short)(i - 200), second.member = i * 1000000007L, of_thread = i + 3;
%(probes)s
}

static int is_on(void) { return 0%(enabled)s; }

int main(int argc, char **argv) {
  if (argc > 1 && freopen(argv[1], "w", stdout) == NULL) return 1;
  setvbuf(stdout, NULL, _IOFBF, 1 << 20);
  for (int i = 0; i < %(rounds)d; i++) fire(i);
  fprintf(stderr, "%%d\\n", is_on());
  return 0;
}
"""


def shown(name):
    return name.replace("__", "-")


def truth(with_counters):
    """The program's text."""
    probes, counters, enabled = [], [], ""
    for name, arguments in FORMS.items():
        values = [f"  {{ {' '.join(f'{c} v{n} = {e};' for n, (c, e, _) in enumerate(arguments))}"]
        macro = f"STAP_PROBE{len(arguments) or ''}"
        values.append(f"    {macro}({', '.join(['truth', name] + [f'v{n}' for n in range(len(arguments))])});")
        told = [(f"v{n}", {"d": "%ld", "u": "%lu", "s": "%s", "f": "%f"}[how], {"d": "(long)", "u": "(unsigned long)"}.get(how, ""))
                for n, (_, _, how) in enumerate(arguments) if how]
        form = "".join(" " + how for _, how, _ in told)
        values.append(f'    printf("{shown(name)}{form}\\n"{"".join(", " + cast + value for value, _, cast in told)}); }}')
        probes.append("\n".join(values))
        if with_counters:
            counters.append(f'__extension__ unsigned short truth_{name}_semaphore __attribute__((unused, section(".probes")));')
            enabled += f" + truth_{name}_semaphore"
    defines = "#define _SDT_HAS_SEMAPHORES 1\n" if with_counters else ""
    return defines + PROGRAM % {"counters": "\n".join(counters), "probes": "\n".join(probes), "enabled": enabled, "rounds": ROUNDS}


def clauses(provider, without=()):
    """Print the same as the program."""
    text = ""
    for name, arguments in FORMS.items():
        if name in without:
            continue
        values = {"d": "arg{}", "u": "(uint64_t)arg{}", "s": "copyinstr(arg{})", "f": "args[{}]"}
        told = [(how, values[how].format(n)) for n, (_, _, how) in enumerate(arguments) if how]
        form = "".join(" %" + how for how, _ in told)
        text += f'{provider}:::{shown(name)} {{ printf("{shown(name)}{form}\\n"{"".join(", " + value for _, value in told)}); }}\n'
    return text


def build(world, name, text, compiler, *flags):
    header = subprocess.run(["cc", "-E", "-include", "sys/sdt.h", "-x", "c", "/dev/null"], capture_output=True, check=False)
    if header.returncode != 0:
        raise Skip("no sys/sdt.h: systemtap-sdt-dev")
    if shutil.which(compiler) is None:
        raise Skip(f"no {compiler}: {compiler}")
    source, program = world.path(f"{name}.c", text), world.path(name)
    subprocess.run([compiler, *flags, "-w", "-o", program, source], check=True)
    return str(program)


def compare(printed, captured, what):
    """Line by line: which probe differs says more than that the whole does."""
    printed, captured = printed.splitlines(), captured.splitlines()
    for n, (truth_line, line) in enumerate(itertools.zip_longest(printed, captured)):
        if truth_line != line:
            check(False, f"{what}: line {n}: the program printed {truth_line!r}, sonde {line!r} ({len(printed)} and {len(captured)} lines)")
    return len(printed)


BUILDS = {
    "gcc_O0": ("gcc", "-O0"),
    "gcc_O1": ("gcc", "-O1"),
    "gcc_O2": ("gcc", "-O2"),
    "gcc_O3_lto": ("gcc", "-O3", "-flto"),
    "gcc_pic": ("gcc", "-O2", "-fPIC"),
    "gcc_no_pie": ("gcc", "-O2", "-no-pie", "-fno-pie"),
    "clang_O0": ("clang-19", "-O0"),
    "clang_O2": ("clang-19", "-O2"),
}


def captured_as_printed(world, how, *options, without=()):
    total = 0
    for with_counters in (False, True):
        program = build(world, f"{how}-{int(with_counters)}", truth(with_counters), *BUILDS[how])
        printed = world.path("printed")
        result = world.sonde("-q", *options, "-x", "bufsize=8m", "-c", f"{program} {printed}", "-n", clauses("truth$target", without))
        lines = [line for line in pathlib.Path(printed).read_text(encoding="utf-8").splitlines() if line.split()[0] not in without]
        total += compare("\n".join(lines), result.stdout.rstrip("\n"), f"{how}, counters {with_counters}")
        on = len(FORMS) - len(without) if with_counters else 0
        equal(result.stderr.split()[0], str(on), f"probes that are switched on, as the program sees it: {result.stderr}")
        check("drops" not in result.stderr and "error on" not in result.stderr, result.stderr)
    equal(total, 2 * ROUNDS * (len(FORMS) - len(without)), how)


def make(how):
    def run(world):
        """Each value that the program prints is the value that sonde prints."""
        captured_as_printed(world, how)
    run.__name__ = f"usdt_{how}"
    scenario(short=how in ("gcc_O0", "gcc_O2"))(run)

    def run_stock(world):
        """The same by programs of a stock kernel, which do not find a thread's own variables."""
        need_it(world)
        captured_as_printed(world, how, *BPF, without=("own_of_thread",))
    run_stock.__name__ = f"usdt_stock_{how}"
    scenario()(run_stock)


for one in BUILDS:
    make(one)

# ---- what cannot be read ----------------------------------------------------------------------------------------

LABEL = r"""
#include <sys/sdt.h>
int main(void) {
  for (int i = 0; i < 3; i++) {
    __asm__ volatile ("990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f,994f-993f,3\n"
                      "991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b,0,0\n.asciz \"odd\"\n.asciz \"%s\"\n.asciz \"%s\"\n"
                      "994: .balign 4\n.popsection\n" : : "D"(i));
  }
  return 0;
}
"""


def odd(world, arguments):
    """A program with one probe whose note has these arguments."""
    return build(world, f"odd{abs(hash(arguments)) % 10**8}", LABEL.replace("%s", "probe", 1).replace("%s", arguments.replace("%", "%%"), 1), "gcc", "-O1")


@scenario()
def usdt_unreadable(world):
    """An argument that nobody can read is refused by its form; its neighbours are read."""
    for form, why in (("4f@.LC7(%rip)", ".LC7 is a label of the assembler's, which no table has"),
                      ("-4@no_such(%rip)", "the file has no symbol no_such, or several of that name"),
                      ("16@%rax", "it has 16 bytes, and the note names only the first 8 of them"),
                      ("4@%mm3", "the operand %mm3 is of no form that is known")):
        program = odd(world, f"-4@%edi {form} -4@$7")
        result = world.sonde("-q", "-n", "odd$target:::probe { trace(arg1); }", "-c", program, status=1)
        check(f"arg1 cannot be read: {form}: {why}" in result.stderr, result.stderr)
        result = world.sonde("-q", "-n", r'odd$target:::probe { printf("%d %d %d\n", arg0, arg2, arg3); }', "-c", program)
        equal(result.stdout.split(), "0 7 0 1 7 0 2 7 0".split(), form)
    program = odd(world, "-4@DWORD PTR 4[rdi+rsi*4] -4@%edi")
    result = world.sonde("-q", "-n", "odd$target:::probe { trace(arg0); }", "-c", program, status=1)
    check("has operands of another syntax than AT&T's" in result.stderr, result.stderr)


@scenario()
def usdt_named_without_process(world):
    """The provider alone is no provider: which it is, the message says; both spellings of a probe's name mean it."""
    program = odd(world, "-4@%edi")
    result = world.sonde("-n", "odd:::probe", "-c", program, status=1)
    check("odd is a provider of" in result.stderr and "odd$target" in result.stderr, result.stderr)
    truth_program = build(world, "plain", truth(False), "gcc", "-O2")
    result = world.sonde("-q", "-n", f"truth*:{truth_program}::nothing {{ @[probemod] = count(); }}", "-c", f"sh -c '{truth_program} /dev/null; :'")
    equal(result.stdout.split(), ["plain", str(ROUNDS)], "a file that nobody runs yet, by its path")
    for name in ("unsigned-small", "unsigned__small"):
        for module in ("", "plain", "a.out"):
            result = world.sonde("-q", "-n", f'truth$target:{module}:fire:{name} {{ @[probemod, probefunc, probename] = count(); }}', "-c", f"{truth_program} /dev/null")
            equal(result.stdout.split(), ["plain", "fire", "unsigned-small", str(ROUNDS)], f"{module} {name}")


# ---- counters ---------------------------------------------------------------------------------------------------

SWITCHED = r"""
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__extension__ unsigned short own_first_semaphore __attribute__((section(".probes")));
__extension__ unsigned short own_second_semaphore __attribute__((section(".probes")));
/* By line of input: says the counters, fires, forks a child that says them, sets the first to a number, or ends. */
int main(void) {
  char line[80];
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (printf("ready\n"); fgets(line, sizeof line, stdin);) {
    if (strcmp(line, "fork\n") == 0) {
      fflush(stdout);
      if (fork() == 0) {
        STAP_PROBE1(own, first, 7);
        printf("%d %d\n", own_first_semaphore, own_second_semaphore);
        exit(0);
      }
      wait(NULL);
      continue;
    }
    if (strncmp(line, "set ", 4) == 0) own_first_semaphore = (unsigned short)atoi(line + 4);
    if (strcmp(line, "fire\n") == 0)
      for (int i = 0; i < 10; i++) {
        if (own_first_semaphore) STAP_PROBE1(own, first, i);
        if (own_second_semaphore) STAP_PROBE1(own, second, i);
      }
    printf("%d %d\n", own_first_semaphore, own_second_semaphore);
  }
  return 0;
}
"""


class Switched:
    """The program, and what it says of its counters."""

    def __init__(self, world):
        self.process = world.start([build(world, "switched", SWITCHED, "gcc", "-O1")], stdin=subprocess.PIPE)
        self.answer()

    def answer(self):
        return self.process.stdout.readline().strip()

    def ask(self, word="say"):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return self.answer()

    def wait_for(self, wanted):
        wait_until(lambda: self.ask() in wanted, what=f"counters {wanted}")

    def trace(self, world, clauses, *options):
        """Sonde, which traces it by now."""
        sonde = world.start_sonde("-q", *options, "-p", str(self.process.pid), "-n", r'BEGIN { printf("ready\n"); } ' + clauses)
        equal(sonde.stdout.readline().strip(), "ready", "its start")
        return sonde


@scenario(short=True)
def usdt_counters(world):
    """A counter is 1 while its probe is traced, in children too, however many clauses have it; then it is 0 again."""
    program = Switched(world)
    equal(program.ask("fire"), "0 0", "untraced")
    sonde = program.trace(world, "own$target:::first { @[pid == $target, arg0] = count(); } own$target:::first { } own*:::first { @all = count(); }")
    on = "1 0" if source_here() == "ptrace" else "2 0"  # the kernel counts places, and it has two
    equal(program.ask("fire"), on, "while it is traced")
    equal(program.ask("fork"), on, "in a child")
    sonde.send_signal(2)
    result = world.finish(sonde)
    equal(program.ask("fire"), "0 0", "when it is not traced any more")
    totals = [line.split()[-1] for line in result.stdout.splitlines() if line.strip()]
    equal(sorted(totals), sorted(["1"] * 11 + ["11"]), result.stdout)


@scenario(only="ptrace", why="the kernel counts on the other sources")
def usdt_counters_have_ends(world):
    """Below 0 is 65535, which would switch the probe on for ever; beyond 65535 is 0, which would switch it off for whoever else has it on."""
    program = Switched(world)
    sonde = program.trace(world, "own$target:::first { @ = count(); }")
    equal(program.ask("set 0"), "0 0", "somebody else clears it")
    sonde.send_signal(2)
    world.finish(sonde)
    equal(program.ask(), "0 0", "it is not taken below 0")
    equal(program.ask("set 65535"), "65535 0", "others have it on")
    sonde = program.trace(world, "own$target:::first { @ = count(); }")
    equal(program.ask(), "65535 0", "it is not raised beyond the most")
    sonde.send_signal(2)
    world.finish(sonde)
    equal(program.ask(), "65535 0", "and what was not raised is not taken back")


@scenario()
def usdt_counters_of_two_tracers(world):
    """Two tracers of one process there cannot be; on a stock kernel there can, and each undoes only its own."""
    need_it(world)
    program = Switched(world)
    first = program.trace(world, "own$target:::first { @ = count(); }", *BPF)
    second = program.trace(world, "own$target:::first, own$target:::second { @[probename] = count(); }", *BPF)
    equal(program.ask("fire"), "2 1", "the kernel counts places: first has two")
    first.send_signal(2)
    equal(world.finish(first).stdout.split(), ["10"], "the first tracer's")
    equal(program.ask("fire"), "2 1", "the first one has gone")
    second.kill()
    second.wait()
    program.wait_for(["0 0"])


@scenario()
def usdt_counters_after_kill(world):
    """Sonde is killed: the counter is taken back by who is left."""
    for options in ((), BPF):
        if options:
            need_it(world)
        program = Switched(world)
        sonde = program.trace(world, "own$target:::first { @ = count(); }", *options)
        check(program.ask() in ("1 0", "2 0"), "it is on")
        sonde.kill()
        sonde.wait()
        program.wait_for(["0 0"])
        equal(program.ask("fire"), "0 0", "and the program lives")


# ---- programs of others -----------------------------------------------------------------------------------------

PYTHON = "/usr/bin/python3.11"
CALLS = """
import sys
def inner(n):
    return n + 1
def middle(n):
    return inner(n)
def outer(n):
    return middle(n)
print("up", flush=True)
sys.stdin.readline()
for n in range(1000):
    outer(n)
print("done", flush=True)
sys.stdin.readline()
"""


def need_python(world):
    if not os.path.exists(PYTHON):
        raise Skip("no python3.11: python3.11-minimal")
    return world.path("calls.py", CALLS)


def check_python(world, *options, provider):
    text = need_python(world)
    program = world.start([PYTHON, text], stdin=subprocess.PIPE)
    equal(program.stdout.readline().strip(), "up", "its start")
    sonde = world.start_sonde("-q", *options, "-n", r'BEGIN { printf("ready\n"); } '
                              f'{provider.format(program.pid)}:::function-entry /copyinstr(arg0) == "{text}"/ {{ @[copyinstr(arg1), arg2] = count(); }}',
                              *(["-p", str(program.pid)] if provider != "python*" else []))
    equal(sonde.stdout.readline().strip(), "ready", "its start")
    program.stdin.write("\n")
    program.stdin.flush()
    equal(program.stdout.readline().strip(), "done", "the program")
    sonde.send_signal(2)
    result = world.finish(sonde)
    equal(sorted(result.stdout.split()), sorted(["inner", "3", "1000", "middle", "5", "1000", "outer", "7", "1000"]), f"calls: {result.stderr}")
    program.stdin.write("\n")
    program.stdin.flush()
    world.finish(program)


@scenario(short=True)
def usdt_python(world):
    """Each call of a function of Python's, of a process that runs already, with its file and line; and no line is traced for that."""
    check_python(world, provider="python{}")


@scenario()
def usdt_stock_python(world):
    """The same on a stock kernel, where another uprobe switches lines on."""
    need_it(world)
    check_python(world, *BPF, provider="python*")


LIBRARY = r"""
#include <sys/sdt.h>
void work(int n) { STAP_PROBE2(late, begin, n, "text"); STAP_PROBE1(late, done, n * 2); }
"""

OPENER = r"""
#include <dlfcn.h>
#include <stdio.h>
/* Opens the library twice; each time its first call is traced, too. */
int main(int argc, char **argv) {
  for (int round = 0; round < 2; round++) {
    void *library = dlopen(argv[1], RTLD_NOW);
    void (*work)(int) = (void (*)(int))dlsym(library, "work");
    for (int n = 0; n < 5; n++) work(10 * round + n);
    dlclose(library);
  }
  return 0;
}
"""


@scenario(short=True)
def usdt_library_opened_later(world):
    """Probes of a library that the program opens later: -Z waits for it, and the first call counts."""
    library = build(world, "late.so", LIBRARY, "gcc", "-O2", "-shared", "-fPIC")
    opener = build(world, "opener", OPENER, "gcc", "-O1", "-ldl")
    for provider in ("late$target", "late*"):
        result = world.sonde("-q", "-Z", "-c", f"{opener} {library}", "-n",
                             f"{provider}:::begin {{ @[probename, arg0, copyinstr(arg1)] = count(); }} {provider}:::done {{ @[probename, arg0, \"\"] = count(); }}")
        found = sorted(" ".join(line.split()) for line in result.stdout.splitlines() if line.strip())
        wanted = [f"begin {n} text 1" for n in (*range(5), *range(10, 15))] + [f"done {2 * n} 1" for n in (*range(5), *range(10, 15))]
        equal(found, sorted(wanted), provider)


STARTED_LATER = """
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <stdio.h>
#include <unistd.h>
__extension__ volatile unsigned short later_beat_semaphore __attribute__((section(".probes")));
int main(void) {
  for (int ms = 0; ms < 60000 && later_beat_semaphore == 0; ms++) usleep(1000);
  int on = later_beat_semaphore;
  for (int ms = 0; ms < 60000 && later_beat_semaphore != 0; ms++, usleep(1000)) STAP_PROBE1(later, beat, ms);
  printf("%d %d\\n", on, later_beat_semaphore);
  return 0;
}
"""


@scenario()
def usdt_stock_started_later(world):
    """On a stock kernel, probes of a program and of a library that nobody has mapped yet: they fire, and the counter goes up and down."""
    need_it(world)
    sonde = world.start_sonde("-q", "-Z", *BPF, "-n", r'BEGIN { printf("ready\n"); } later*:::beat { printf("beat\n"); exit(0); }')
    equal(sonde.stdout.readline().strip(), "ready", "its start")
    program = build(world, "starts", STARTED_LATER, "gcc", "-O1")
    equal(world.run([program]).stdout, "1 0\n", "its counter")
    result = world.finish(sonde)
    check(result.stdout.startswith("beat\n"), f"{result.stdout} {result.stderr}")
    sonde = world.start_sonde("-q", "-Z", *BPF, "-n", r'BEGIN { printf("ready\n"); } late*:::done { exit(0); }')
    equal(sonde.stdout.readline().strip(), "ready", "its start")
    library = build(world, "late.so", LIBRARY, "gcc", "-O2", "-shared", "-fPIC")
    opener = build(world, "opener", OPENER, "gcc", "-O1", "-ldl")
    wait_until(lambda: world.run([opener, library]).status == 0 and sonde.poll() is not None, what="a call in the library")
    equal(world.finish(sonde).status, 0, "its end")


TREE = r"""
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__extension__ unsigned short tree_node_semaphore __attribute__((section(".probes")));
/* 100 processes, each a fork of another: each fires once, and fails if its counter is not what it should be. */
static int grow(int *left, int wanted, int of_children) {
  int bad = tree_node_semaphore != wanted, status;
  STAP_PROBE1(tree, node, getpid());
  for (int width = 0; width < 3 && *left > 0; width++) {
    int mine = (*left - 1) / (3 - width);
    *left -= 1 + mine;
    pid_t child = fork();
    if (child == 0) exit(grow(&mine, of_children, of_children));
    waitpid(child, &status, 0);
    bad |= status != 0;
  }
  return bad;
}
int main(int argc, char **argv) { int left = 99; puts(grow(&left, atoi(argv[1]), atoi(argv[2])) ? "wrong" : "right"); return 0; }
"""


@scenario()
def usdt_fork_tree(world):
    """Each process of a tree of forks has the counter that its taps want: 1 where they follow forks, 0 where not."""
    program = build(world, "tree", TREE, "gcc", "-O1")
    if source_here() == "ptrace":
        result = world.sonde("-q", "-c", f"{program} 1 1", "-n", "tree$target:::node { @[arg0 == pid] = count(); }")
        equal(result.stdout.split(), ["right", "1", "100"], "each process fires once, as itself")
        result = world.sonde("-q", "-x", "followforks=no", "-c", f"{program} 1 0", "-n", "tree$target:::node { @ = count(); }")
        equal(result.stdout.split(), ["right", "1"], "the first one alone; its children have a counter of 0")
    result = world.sonde("-q", "-Z", "-c", f"sh -c 'exec {program} 1 1'", "-n", "tree*:::node { @[arg0 == pid] = count(); }")
    equal(result.stdout.split(), ["right", "1", "100"], "tree*")


@scenario()
def usdt_list_of_the_machine(world):
    """-l without a target lists the processes that have such probes, by their numbers."""
    text = need_python(world)
    programs = [world.start([PYTHON, text], stdin=subprocess.PIPE) for _ in range(3)]
    for one in programs:
        equal(one.stdout.readline().strip(), "up", "its start")
    listed = world.sonde("-l", "-n", "python*:::function-entry").stdout
    for one in programs:
        check(f"python{one.pid} " in listed, listed)
    one = programs[0]
    result = world.sonde("-lv", "-n", f"python{one.pid}:::function-entry").stdout
    check("args[0]: const char * file" in result and "args[2]: int line" in result, result)
    for one in programs:
        one.kill()


@scenario()
def usdt_files_that_cannot_be_read(world):
    """A file that its user may run and not read is left out aloud."""
    user = world.as_user()
    path = user.path("closed", "#!/bin/sh\n")
    os.chmod(path, 0o111)
    result = user.sonde("-n", f"closed*:{path}::start {{ }}", "-c", "/bin/true", status=1)
    check(f"{path} cannot be read: Permission denied: what probes it has is not known, and none is traced" in result.stderr, result.stderr)


PHP = 'php8.2 -n -r "function inner($n) { return $n; } function outer($n) { return inner($n); } for ($i = 0; $i < 41; $i++) outer($i);"'
RUBY = 'ruby3.1 -e "def inner(n) n end; def outer(n) inner(n) end; 40.times { |i| outer(i) }"'


@scenario()
def usdt_php_and_ruby(world):
    """PHP is started so that it fires; Ruby with a TracePoint, and without one the reason is said."""
    if shutil.which("php8.2") is None:
        raise Skip("no php8.2: php8.2-cli")
    if shutil.which("ruby3.1") is None:
        raise Skip("no ruby3.1: ruby3.1")
    result = world.sonde("-q", "-n", "php$target:::function-entry { @[copyinstr(arg0)] = count(); }", "-c", PHP)
    equal(sorted(result.stdout.split()), ["41", "41", "inner", "outer"], "PHP")
    clause = 'ruby$target:::method-entry /copyinstr(arg0) == "Object"/ { @[copyinstr(arg1)] = count(); }'
    on = world.path("on.rb", "TracePoint.new(:call, :return){}.enable\n")
    result = world.sonde("-q", "-x", f"setenv=RUBYOPT=-r{on}", "-n", clause, "-c", RUBY)
    equal(sorted(result.stdout.split()), ["40", "40", "inner", "outer"], "Ruby")
    result = world.sonde("-q", "-n", clause, "-c", RUBY)
    equal(sorted(result.stdout.split()), ["40", "40", "inner", "outer"], "Ruby, which loads what is installed with sonde")
    result = world.sonde("-q", "-n", clause.replace("method-entry", "function-entry"), "-c", RUBY)
    equal(sorted(result.stdout.split()), ["40", "40", "inner", "outer"], "Ruby, by the name that its probe had")
    result = world.sonde("-n", "ruby$target:::line { }", "-c", RUBY, status=1)
    check("Ruby has had no probe of lines since 2.0" in result.stderr, result.stderr)
    calls = ["-n", "ruby$target:::gc-mark-begin { }", "-c", "ruby3.1 -e puts(ENV[:RUBYOPT.to_s].inspect)"]
    check(world.sonde("-q", *calls).stdout.startswith("nil"), "no variable for a probe that needs none")
    result = world.sonde("-x", "setenv=RUBYOPT", "-n", clause, "-c", RUBY)
    check("Ruby fires them only while a TracePoint is on" in result.stderr, result.stderr)


@scenario(short=True)
def usdt_files_that_a_program_cannot_reach(world):
    """Ruby does not start if it cannot read what it is to load, and it may run as another user: each folder above that file counts."""
    world.directory.chmod(0o755)
    installed = world.directory / "installed"
    binary, loaded = installed / "bin/sonde", installed / "share/sonde/trace_methods.rb"
    for file in (binary, loaded):
        file.parent.mkdir(parents=True)
    for folder in (installed, binary.parent, loaded.parent, loaded.parent.parent):
        folder.chmod(0o755)
    shutil.copy(world.binary, binary)
    loaded.write_text("", encoding="utf-8")
    says = world.path("says", '#!/bin/sh\necho "<$RUBYOPT>"\n')

    def said():
        return world.run([binary, "-q", "-Z", "-n", "ruby$target:::method-entry { }", "-c", says]).stdout.strip()

    loaded.chmod(0o644)
    equal(said(), f"<-r{loaded}>", "everybody can read it")
    for folder in (loaded.parent, installed):
        folder.chmod(0o744)
        equal(said(), "<>", f"nobody else gets through {folder}")
        folder.chmod(0o755)
    loaded.chmod(0o640)
    equal(said(), "<>", "nobody else can read it")


@scenario()
def usdt_programs_that_have_none(world):
    """JavaScript's probes of older scripts are refused by name, each with what to type."""
    for name, why in (("function-entry", "pid$target:perf*:*NAME*:entry"), ("function-return", "profile-97 { @[jstack()] = count(); }"), ("object-create-start", "makes objects in code"),
                      ("execute-start", "runs the file of a module as a function"), ("other", "node has no such probe")):
        result = world.sonde("-n", f"javascript$target:::{name} {{ }}", "-c", "/bin/true", status=1)
        check(f"javascript:::{name} is not available" in result.stderr and why in result.stderr, result.stderr)
    result = world.sonde("-n", "javascript*:::function-entry { }", "-c", "/bin/true", status=1)
    check("javascript:::function-entry is not available" in result.stderr, result.stderr)
    result = world.sonde("-n", "javascript$target::: { }", "-c", "/bin/true", status=1)
    check("has no probes of JavaScript" in result.stderr, result.stderr)


JAVA = """
public class Calls {
  static int inner(int n) { return n + 1; }
  static int outer(int n) { return inner(n); }
  public static void main(String[] words) { int sum = 0; for (int n = 0; n < 100; n++) sum += outer(n); System.out.println(sum); }
}
"""


@scenario()
def usdt_java(world):
    """Methods of a JVM that loads its library later, by class and name; without its flag the reason is said."""
    if shutil.which("javac") is None:
        raise Skip("no javac: openjdk-17-jdk-headless")
    source = world.path("Calls.java", JAVA)
    subprocess.run(["javac", source], check=True)
    folder = pathlib.Path(source).parent
    clause = 'hotspot$target:::method-entry /arg2 == 5/ { @[stringof(copyin(arg1, arg2)), stringof(copyin(arg3, arg4))] = count(); }'
    result = world.sonde("-q", "-Z", "-n", clause, "-c", f"java -XX:+ExtendedDTraceProbes -cp {folder} Calls")
    found = {tuple(line.split()) for line in result.stdout.splitlines() if line.startswith("  Calls")}
    equal(found, {("Calls", "main", "1"), ("Calls", "outer", "100"), ("Calls", "inner", "100")}, result.stdout)
    library = (pathlib.Path(shutil.which("java")).resolve().parents[1] / "lib/server/libjvm.so").resolve()
    listed = world.sonde("-lv", "-n", f"hotspot_jni*:{library}::GetStaticMethodID-entry", "-c", "/bin/true").stdout
    for text in ("args[0]: void * env", "args[2]: const char * name", "args[3]: const char * signature"):
        check(text in listed, f"{text}: {listed}")
    clause_of_jni = r'hotspot_jni*:::GetStaticMethodID-entry { printf("%s %s\n", stringof(args[2]), stringof(args[3])); }'
    result = world.sonde("-q", "-n", clause_of_jni.replace(":::", f":{library}::"), "-c", f"java -cp {folder} Calls")
    check("checkAndLoadMain (ZILjava/lang/String;)Ljava/lang/Class;" in result.stdout.splitlines(), f"what the launcher looks for: {result.stdout}")
    result = world.sonde("-Z", "-n", clause, "-c", f"java -cp {folder} Calls")
    check("only if it was started with -XX:+ExtendedDTraceProbes" in result.stderr, result.stderr)


POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")


def with_postgres(world, act):
    """Runs a cluster of PostgreSQL, and act(its folder, the postmaster, how to run a command as postgres)."""
    if not (POSTGRES / "postgres").exists():
        raise Skip("no postgres: postgresql-15")
    if os.getuid() != 0:
        raise Skip("needs root")
    folder = pathlib.Path(world.path("data", "")).parent / "cluster"
    folder.mkdir()
    shutil.chown(folder, "postgres")
    folder.parent.chmod(0o755)

    def as_postgres(command):
        return subprocess.run(["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "sh", "-c", command], check=True, capture_output=True, text=True, cwd="/").stdout

    as_postgres(f"{POSTGRES}/initdb -D {folder} && {POSTGRES}/pg_ctl -D {folder} -o \"-k {folder} -h ''\" -l {folder}/log -w start")
    try:
        act(folder, (folder / "postmaster.pid").read_text(encoding="utf-8").split()[0], as_postgres)
    finally:
        as_postgres(f"{POSTGRES}/pg_ctl -D {folder} -m fast stop")


@scenario()
def usdt_postgres(world):
    """The text of each query, of backends that a postmaster forks."""
    def queries(folder, master, as_postgres):
        sonde = world.start_sonde("-q", "-p", master, "-n", r'BEGIN { printf("ready\n"); } postgresql$target:::query-start { printf("%d %s\n", pid == $target, copyinstr(arg0)); }')
        equal(sonde.stdout.readline().strip(), "ready", "its start")
        equal(as_postgres(f"psql -h {folder} -tAc 'select 6 * 7' -c 'select 6 + 7' postgres").split(), ["42", "13"], "answers")
        sonde.send_signal(2)
        equal(world.finish(sonde).stdout.split("\n")[:2], ["0 select 6 * 7", "0 select 6 + 7"], "queries")

    with_postgres(world, queries)


def guard_of(sonde):
    """The process of that sonde which holds its targets."""
    for child in pathlib.Path(f"/proc/{sonde.pid}/task/{sonde.pid}/children").read_text(encoding="utf-8").split():
        if pathlib.Path(f"/proc/{child}/comm").read_text(encoding="utf-8").strip() == "sonde-guard":
            return int(child)
    return check(False, "no guard")


@scenario(only="ptrace", why="the others have no guard")
def usdt_counters_after_the_guard(world):
    """The guard is killed: sonde takes breakpoints and counters back, and a program that hits rarely lives, 20 of 20."""
    for _ in range(20):
        program = Switched(world)
        sonde = program.trace(world, "own$target:::first { @ = count(); }")
        equal(program.ask(), "1 0", "it is on")
        os.kill(guard_of(sonde), 9)
        result = world.finish(sonde)
        check(re.search(r"sonde-guard\) has died.*taken back: \d+ breakpoints, 1 counter", result.stderr), result.stderr)
        equal(program.ask("fire"), "0 0", "and the program lives")
        program.process.kill()


def note(provider, probe, place="990b", arguments=""):
    """A note in assembler, of a nop that stands before it."""
    return (f'"990: nop\\n.pushsection .note.stapsdt,\\"\\",\\"note\\"\\n.balign 4\\n.4byte 992f-991f,994f-993f,3\\n991: .asciz \\"stapsdt\\"\\n"'
            f'"992: .balign 4\\n993: .8byte {place},0,0\\n.asciz \\"{provider}\\"\\n.asciz \\"{probe}\\"\\n.asciz \\"{arguments}\\"\\n994: .balign 4\\n.popsection\\n"')


def noted(world, name, *notes):
    """A program that passes each note three times."""
    calls = "\n".join(f"    __asm__ volatile ({one});" for one in notes)
    return build(world, name, f"#include <stdio.h>\nint main(void) {{\n  for (int i = 0; i < 3; i++) {{\n{calls}\n  }}\n  puts(\"whole\");\n  return 0;\n}}\n", "gcc", "-O1")


@scenario()
def usdt_arguments_of_libvirt(world):
    """A note has sizes; that an argument is a text, and whose, is known of libvirt's probes, by the first row that fits."""
    arguments = " ".join(["8@%rbx"] * 3)
    program = noted(world, "virtual", *[note("libvirt", name, arguments=arguments) for name in
                                        ("object_new", "rpc_client_new", "rpc_client_msg_rx", "qemu_monitor_recv_event", "rpc_tls_session_new")])
    listed = world.sonde("-lv", "-n", "libvirt$target:::", "-c", program).stdout
    for text in ("args[1]: const char * class", "args[1]: void * socket", "args[2]: int program", "args[1]: const char * message", "args[2]: const char * host"):
        check(text in listed, f"{text}: {listed}")


@scenario()
def usdt_probe_that_tcl_has_twice(world):
    """Tcl's source has proc-entry twice in one function: it counts once, and what has no such row twice."""
    program = noted(world, "twice", *[note("tcl", name) for name in ("proc__entry", "proc__entry", "cmd__entry", "cmd__entry")])
    result = world.sonde("-q", "-n", "tcl$target:::*-entry { @[probename] = count(); }", "-c", program)
    equal(result.stdout.split(), ["whole", "proc-entry", "3", "cmd-entry", "6"], result.stderr)


@scenario(only="ptrace", why="the kernel keeps its probes in a file, whatever is written to it")
def usdt_file_that_was_written_again(world):
    """What the notes said before is not believed: no breakpoint where there is no nop any more, and a line says so."""
    first = noted(world, "first", *[note("again", name) for name in "abcd"])
    second = build(world, "second", "#include <stdio.h>\nint main(int c, char **v) { unsigned long x = 0; for (int i = 0; i < 40; i++) x += 0x1122334455667788ul * (i + c); printf(\"sum %lx\\n\", x); return 0; }", "gcc", "-O1")
    plain = world.run([second]).stdout
    both = world.path("both")
    script = world.path("both.sh", f"cp {first} {both}; chmod +x {both}; {both}; cat {second} > {both}; {both}\n")
    result = world.sonde("-q", "-Z", "-n", "again*:::{ @[probename] = count(); }", "-c", f"sh {script}")
    check("whole\n" + plain in result.stdout, result.stdout)
    equal(sorted(result.stdout.split("\n\n", 1)[1].split()), sorted("a 3 b 3 c 3 d 3".split()), "hits of the first program alone")
    check("there is no nop any more: the file has changed since its notes were read" in result.stderr, result.stderr)


@scenario()
def usdt_notes_that_lie(world):
    """A place that cannot be traced is told beside those that can; names that cannot be a probe's name their file."""
    program = noted(world, "lies", note("lies", "two"), note("lies", "bad name"), note("lies7", "two"), note("lies", "two", "990b+1"))
    result = world.sonde("-q", "-n", "lies$target:::two { @ = count(); }", "-c", program)
    equal(result.stdout.split(), ["whole", "3"], "hits of the place that there is")
    check("lies" in result.stderr and ":::two is not traced at each place: in" in result.stderr, result.stderr)
    check("names a probe of lies that cannot be traced" in result.stderr, result.stderr)
    lengthy = noted(world, "lengthy", note("lengthy", "two"), note("lengthy", "n" * 64))
    result = world.sonde("-q", "-n", "lengthy$target:::two { @ = count(); }", "-c", lengthy)
    check("names a probe of lengthy that cannot be traced" in result.stderr, f"64 letters: {result.stderr}")
    result = world.sonde("-n", "lies7*:::two", "-c", program, status=1)
    check("the provider lies7 of a program cannot be traced: its name ends with a digit" in result.stderr, result.stderr)


@scenario(only="ptrace", why="which site an argument is read at is decided before any source is asked")
def usdt_argument_of_the_site_that_has_it(world):
    """An argument has the type of the first site where it can be read."""
    program = noted(world, "mixed", note("mixed", "both", arguments="8@%nonsense"), note("mixed", "both", arguments="-4@$7"))
    listed = world.sonde("-lv", "-n", "mixed$target:::both", "-c", program).stdout
    check("args[0]: int32_t" in listed, listed)


@scenario()
def usdt_fifo_is_no_file(world):
    """A FIFO that is named as a module holds up nobody."""
    fifo = world.path("fifo")
    os.mkfifo(fifo)
    result = world.sonde("-n", f"lies*:{fifo}::two", "-c", "/bin/true", seconds=20, status=1)
    check("does not match any probes" in result.stderr, result.stderr)
