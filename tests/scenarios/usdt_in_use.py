# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts of tests/in-use on probes that Python, PHP, Ruby, Java and PostgreSQL bring along, each with a computed answer."""

import pathlib
import shutil
import subprocess

from in_use import IN_USE, rows
from stock_kernel import SOURCE as BPF, need_it, stop_tracing
from support import Skip, check, equal, scenario, source_here
from usdt import PYTHON, need_python, with_postgres

FLOW = """def inner(n):
    return n + 1


def outer(n):
    return inner(n)


outer(1)
outer(2)
"""


def traced(world, script, command, *options):
    """What the script prints of a program."""
    if source_here() != "ptrace" and script.startswith("py_"):
        options += ("-n", "python*:::line { }")  # the kernel switches on what is traced, and no more
    return world.sonde("-Z", *options, "-s", IN_USE / f"{script}.d", "-c", command).stdout


@scenario()
def script_py_calls(world):
    text = need_python(world)
    found = rows(traced(world, "py_calls", f"sh -c 'yes | {PYTHON} {text}'"))
    equal(sorted(row for row in found if row[0] == "calls.py" and row[1] != "<module>"), [["calls.py", name, "1000"] for name in ("inner", "middle", "outer")], "calls")


@scenario()
def script_py_flow(world):
    need_python(world)
    found = traced(world, "py_flow", f"{PYTHON} -IS {world.path('flow.py', FLOW)}")
    lines = [line.split(None, 1)[1].strip() for line in found.splitlines() if "flow.py" in line]
    once = ["flow.py:5      -> outer", "flow.py:1        -> inner", "flow.py:2        <- inner", "flow.py:6      <- outer"]
    equal(lines, ["flow.py:0    -> <module>", *once, *once, "flow.py:10   <- <module>"], "the flow")


@scenario()
def script_py_time(world):
    text = need_python(world)
    found = {row[0]: [int(word) for word in row[1:]] for row in rows(traced(world, "py_time", f"sh -c 'exec {PYTHON} -IS {text} <<EOF\n\n\nEOF'"))[1:] if row[0] in ("inner", "middle", "outer")}
    equal({name: row[0] for name, row in found.items()}, {"inner": 1000, "middle": 1000, "outer": 1000}, "calls")
    for name, below in (("outer", "middle"), ("middle", "inner")):
        parts = found[name][2] + found[below][1]
        check(abs(found[name][1] - parts) <= 3000, f"{name}: its own time and that of {below} make its time, but for what each of 1000 is rounded: {found}")
    check(found["inner"][1] == found["inner"][2] > 0, f"{found}")


@scenario()
def script_php_calls(world):
    if shutil.which("php8.2") is None:
        raise Skip("no php8.2: php8.2-cli")
    text = world.path("calls.php", "<?php class A { static function f($n) { return g($n); } } function g($n) { return $n; } for ($i = 0; $i < 41; $i++) A::f($i);")
    equal(sorted(line for line in traced(world, "php_calls", f"php8.2 -n {text}").splitlines() if line), ["call A::f 41", "call g 41", "call main 1", "request calls.php 1"], "PHP")


@scenario()
def script_rb_flow(world):
    if shutil.which("ruby3.1") is None:
        raise Skip("no ruby3.1: ruby3.1")
    on = world.path("on.rb", "TracePoint.new(:call, :return){}.enable\n")
    text = world.path("flow.rb", "def inner(n)\n  n\nend\ndef outer(n)\n  inner(n)\nend\n2.times { |i| outer(i) }\n")
    found = [line for line in traced(world, "rb_flow", f"ruby3.1 --disable-gems {text}", "-x", f"setenv=RUBYOPT=-r{on}").splitlines() if "Object#" in line]
    equal([line.rstrip("\n") for line in found], ["-> Object#outer:5", "  -> Object#inner:2", "  <- Object#inner", "<- Object#outer"] * 2, "Ruby")


JAVA = """
public class Methods {
  static int inner(int n) { return n + 1; }
  static int outer(int n) { return inner(n); }
  public static void main(String[] words) throws Exception {
    for (int n = 0; n < 100; n++) outer(n);
    for (int n = 0; n < 7; n++) { Thread one = new Thread(() -> outer(0)); one.start(); one.join(); }
  }
}
"""


@scenario()
def script_j_methods(world):
    if shutil.which("javac") is None:
        raise Skip("no javac: openjdk-17-jdk-headless")
    source = world.path("Methods.java", JAVA)
    subprocess.run(["javac", source], check=True)
    folder = pathlib.Path(source).parent
    found = traced(world, "j_methods", f"java -XX:+ExtendedDTraceProbes -cp {folder} Methods")
    own = sorted(line for line in found.splitlines() if line.startswith("Methods.") and "lambda" not in line)
    equal(own, ["Methods.inner 107", "Methods.main 1", "Methods.outer 107"], "methods")
    equal([line for line in found.splitlines() if line.startswith("Methods.lambda")], ["Methods.lambda$main$0 7"], "the threads' own")


@scenario()
def script_pg_queries(world):
    def queries(folder, master, as_postgres):
        sonde = world.start_sonde("-Z", "-q", "-n", r'BEGIN { printf("ready\n"); }', "-s", IN_USE / "pg_queries.d", "-p", master)
        equal(sonde.stdout.readline().strip(), "ready", "its start")
        for _ in range(3):
            as_postgres(f"psql -h {folder} -tAc 'select 6 * 7' -c 'select 6 + 7' postgres")
        sonde.send_signal(2)
        lines = world.finish(sonde).stdout.splitlines()
        equal(sorted(line for line in lines if line.startswith(("select", "commits"))), ["commits: 9", "select 6 * 7: 3", "select 6 + 7: 3"], f"queries, each a transaction, and one of each connection: {lines}")

    with_postgres(world, queries)


def whole(world, script, act, *options):
    """What the script prints of the whole machine, on a stock kernel, while act() lets programs work that run already."""
    need_it(world)
    sonde = world.start_sonde("-Z", *BPF, *options, "-n", r'BEGIN { printf("ready\n"); }', "-s", IN_USE / f"{script}.d")
    lines = iter(sonde.stdout.readline, "")
    check(any(line.strip() == "ready" for line in lines), "its start")
    act()
    return stop_tracing(world, sonde).stdout


@scenario()
def whole_machine_of_python(world):
    """Without a target: processes that run already, by their files."""
    text = need_python(world)
    lines = ("-n", "python*:::line { }")
    for script, wanted in (("py_calls", lambda out: sorted(row for row in rows(out) if row[:1] == ["calls.py"])),
                           ("py_flow", lambda out: [line.split()[-1] for line in out.splitlines() if "calls.py" in line and "->" in line])):
        program = world.start([PYTHON, text], stdin=subprocess.PIPE)
        equal(program.stdout.readline().strip(), "up", "its start")

        def work(program=program):
            program.stdin.write("\n")
            program.stdin.flush()
            equal(program.stdout.readline().strip(), "done", "the program")

        found = wanted(whole(world, script, work, *lines))
        expected = [["calls.py", name, "1000"] for name in ("inner", "middle", "outer")] if script == "py_calls" else ["outer", "middle", "inner"] * 1000
        equal(found, expected, script)
        program.kill()


@scenario()
def whole_machine_of_php(world):
    if shutil.which("php8.2") is None:
        raise Skip("no php8.2: php8.2-cli")
    text = world.path("waits.php", "<?php function own_f($n) { return $n; } echo \"up\\n\"; fgets(STDIN); for ($i = 0; $i < 41; $i++) own_f($i); echo \"done\\n\";")
    program = world.start(["php8.2", "-n", text], env=world.environment({"USE_ZEND_DTRACE": "1"}), stdin=subprocess.PIPE)
    equal(program.stdout.readline().strip(), "up", "its start")

    def work():
        program.stdin.write("\n")
        program.stdin.flush()
        equal(program.stdout.readline().strip(), "done", "the program")

    check("call own_f 41" in whole(world, "php_calls", work), "calls")


@scenario()
def whole_machine_of_postgres(world):
    def queries(folder, _master, as_postgres):
        found = whole(world, "pg_queries", lambda: [as_postgres(f"psql -h {folder} -tAc 'select 41 + {n}' postgres") for n in range(3)])
        equal(sorted(line for line in found.splitlines() if line.startswith("select 41")), [f"select 41 + {n}: 1" for n in range(3)], "queries")

    with_postgres(world, queries)
