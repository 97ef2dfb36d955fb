# SPDX-License-Identifier: GPL-3.0-or-later
"""Provider plug-ins, from an installed copy: the samples, bad plug-ins, and the page on writing one.

The copy and the builds of the samples are stored with the test programs. `run.py --compile` makes them, for guests,
which have no build folder."""

import fcntl
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

from support import Skip, check, equal, patience, scenario, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ("redis", "spool", "sqlite")


def run(argv, **more):
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=300 * patience, **more)
    check(done.returncode == 0, f"{argv}: status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-2000:]}")
    return done.stdout


def newer(made, *sources):
    """Whether `made` exists and is newer than all of `sources`."""
    return made.exists() and all(made.stat().st_mtime >= s.stat().st_mtime for s in sources)


def is_guests(programs):
    """Whether it was made by `run.py --compile`."""
    return programs.exists() and not os.access(programs, os.W_OK)


def installed(programs, binary):
    """The prefix of an installed copy; None if there is nothing to install from."""
    prefix = programs / "sdk" / "installed"
    build = next((b for b in (binary.parents[1], ROOT / "build") if (b / "cmake_install.cmake").exists()), None)
    if build is None or not (build / "bin/sonde").exists() or is_guests(programs):
        return prefix if prefix.exists() else None
    prefix.parent.mkdir(parents=True, exist_ok=True)
    with open(prefix.parent / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sources = [build / "bin/sonde", ROOT / "runtime/framework/provider.h", *(ROOT / "cmake").iterdir(),
                   *(ROOT / "samples").rglob("*.*"), ROOT / "docs/add-a-provider.md"]
        stamp = prefix.parent / "stamp"
        if not newer(stamp, *sources):
            shutil.rmtree(prefix.parent / "samples", ignore_errors=True)
            run(["cmake", "--install", build, "--prefix", prefix, "--strip"])
            stamp.touch()
    return prefix


def sample(programs, binary, name):
    """The folder in which a copy of a sample was built, using only the installed copy of sonde."""
    prefix = installed(programs, binary)
    folder = programs / "sdk" / "samples" / name
    if prefix is None or not shutil.which("cmake") or is_guests(programs):
        if (folder / f"build/{name}.so").exists():
            return folder
        raise Skip("there is no build folder to install from, or no cmake: cmake")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / f"{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / f"build/{name}.so").exists():
            shutil.copytree(prefix / "share/doc/sonde/samples" / name, folder, dirs_exist_ok=True)
            run(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}"])
            run(["cmake", "--build", folder / "build"])
    return folder


def compile_samples(programs, binary):
    if shutil.which("cmake") and installed(programs, binary):
        for name in SAMPLES:
            sample(programs, binary, name)


def provider(world, name):
    return f"--provider={sample(world.programs, world.binary, name) / 'build' / name}.so"


def the_prefix(world):
    prefix = installed(world.programs, world.binary)
    if prefix is None:
        raise Skip("there is no build folder to install from")
    return prefix


# -- the samples --

def ctest(world, name):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SONDE_")}
    out = run(["ctest", "--test-dir", sample(world.programs, world.binary, name) / "build", "--output-on-failure", "--timeout", 120], env=environment)
    check("100% tests passed" in out, out)


@scenario(only="ptrace", why="what the samples' own tests show, the scenarios below show on every source")
def samples_pass_their_own_tests(world):
    for name in SAMPLES:
        if name == "redis" and not shutil.which("redis-server"):
            continue
        if name == "sqlite" and not shutil.which("sqlite3"):
            continue
        ctest(world, name)


@scenario()
def sample_spool_sees_files_come_and_go(world):
    """Each step waits until the one before was seen, so that the output is known exactly."""
    spool, out = pathlib.Path(world.path("spool")), world.path("out", "")
    spool.mkdir()
    (spool / "old").write_text("before")
    clauses = ('BEGIN { printf("begin\\n"); } spool:::arrive { printf("+ %d %d %d\\n", args[0]->s_waiting, args[0]->s_bytes, args[0]->s_waited); } '
               'spool:::leave { printf("- %d %d %d\\n", args[0]->s_waiting, args[0]->s_bytes, args[0]->s_waited > 0); } '
               'spool:::depth /args[0]->s_waiting == 3/ { @ = count(); } '
               'spool:::leave /args[0]->s_waiting == 0/ { exit(0); } END { printa("%@d\\n", @); }')
    sonde = world.start_sonde("-q", "-x", "switchrate=20ms", "-o", out, provider(world, "spool"), "-n", clauses, env={"SPOOL": str(spool)})
    lines = ["begin"]

    def seen(line=None):
        lines.extend([line] if line else [])
        wait_until(lambda: pathlib.Path(out).read_text().split("\n")[:-1][:len(lines)] == lines, what=f"{lines}, of {pathlib.Path(out).read_text()!r}")
    seen()
    (spool / "a").write_bytes(b"x" * 1000)
    seen("+ 2 1000 0")
    aside = pathlib.Path(world.path("aside", "moved"))
    aside.rename(spool / "b")
    seen("+ 3 5 0")
    for name, line in (("a", "- 2 1000 1"), ("old", "- 1 6 1"), ("b", "- 0 5 1")):
        (spool / name).unlink()
        seen(line)
    equal(world.finish(sonde).status, 0, "exit status")


@scenario()
def sample_spool_says_what_it_misses(world):
    nowhere = world.path("nowhere")
    result = world.sonde("-q", provider(world, "spool"), "-n", "spool:::arrive", status=1, env={"SPOOL": nowhere})
    check(f"probe spool:::arrive cannot be armed: there is no folder {nowhere} that can be read: name one by SPOOL" in result.stderr, result.stderr)


PROGRAM = """
import sqlite3
database = sqlite3.connect(":memory:")
database.execute("CREATE TABLE t (n, s)")
for n in range(10):
    database.execute("INSERT INTO t VALUES (?, 'row')", (n,))
print(list(database.execute("SELECT sum(n) AS total FROM t")))
try:
    database.execute("SELECT nothing FROM nowhere")
except sqlite3.OperationalError:
    pass
"""


@scenario(short=True)
def sample_sqlite_sees_statements(world):
    """python3's sqlite3, which maps the library when it is imported: text, results, rows."""
    if subprocess.run(["/usr/bin/python3", "-c", "import sqlite3"], check=False, capture_output=True).returncode != 0:
        raise Skip("/usr/bin/python3 has no sqlite3: libpython3-stdlib")
    script = world.path("program.py", PROGRAM)
    clauses = ('sqlite:::prepare-start { self->own = strstr(args[0]->s_text, "sqlite_") != NULL; } '
               'sqlite:::prepare-start /!self->own/ { @text[args[0]->s_text] = count(); } '
               'sqlite:::prepare-done /args[0] != 0/ { @wrong = count(); } sqlite:::step-start { @starts = count(); } '
               'sqlite:::step-done { @dones = count(); } sqlite:::step-done /args[0] == 100/ { @rows = count(); } '
               'END { printa("%s %@d\\n", @text); printa("wrong %@d\\n", @wrong); printa("starts %@d\\n", @starts); '
               'printa("dones %@d\\n", @dones); printa("rows %@d\\n", @rows); }')
    result = world.sonde("-q", provider(world, "sqlite"), "-n", clauses, "-c", f"/usr/bin/python3 {script}")
    found = dict(line.rsplit(" ", 1) for line in result.stdout.splitlines() if " " in line and not line.startswith("["))
    check("[(45,)]" in result.stdout, result.stdout)
    equal(found["CREATE TABLE t (n, s)"], "1", "CREATE")
    check(found["INSERT INTO t VALUES (?, 'row')"] in ("1", "10"), f"INSERT: {found}")  # python caches statements
    equal(found["SELECT sum(n) AS total FROM t"], "1", "SELECT")
    equal(found["SELECT nothing FROM nowhere"], "1", "the wrong one")
    equal(found["wrong"], "1", "errors")
    equal(found["starts"], found["dones"], "steps that end")
    check(int(found["starts"]) >= 13 and int(found["rows"]) >= 1, f"{found}")


@scenario(only="kmod", why="ptrace sees the processes that it was given")
def sample_sqlite_sees_every_process(world):
    """Without a target: a process that existed before, and a new one."""
    script, go = world.path("program.py", PROGRAM), world.path("go")
    waits = world.path("waits.py", f"import os, sqlite3, time\nwhile not os.path.exists({go!r}): time.sleep(0.01)\n{PROGRAM}")
    first = world.start(["/usr/bin/python3", waits])
    out = world.path("out", "")
    sonde = world.start_sonde("-q", "-o", out, provider(world, "sqlite"), "-n",
                              'BEGIN { printf("begin\\n"); } sqlite:::prepare-start /args[0]->s_text == "SELECT sum(n) AS total FROM t"/ { n++; } '
                              'sqlite:::prepare-start /n == 2/ { printf("both\\n"); exit(0); }')
    wait_until(lambda: "begin" in pathlib.Path(out).read_text(), what="the beginning")
    pathlib.Path(go).touch()
    world.finish(first)
    world.run(["/usr/bin/python3", script])
    equal(world.finish(sonde).status, 0, "exit status")
    check("both" in pathlib.Path(out).read_text(), pathlib.Path(out).read_text())


class Redis:
    """A server for the scenario."""

    def __init__(self, world):
        if not shutil.which("redis-server"):
            raise Skip("no redis-server: redis-server")
        self.socket = str(world.home / "redis.socket")
        self.process = world.start(["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", ""])
        wait_until(lambda: os.path.exists(self.socket) and self.ask("PING") == "+PONG", what="the server")

    def ask(self, command):
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(self.socket)
                client.sendall(command.encode() + b"\r\n")
                return client.recv(1000).decode().strip()
        except OSError:
            return ""


@scenario()
def sample_redis_counts_as_the_server_does(world):
    redis, out = Redis(world), world.path("out", "")
    environment = {"REDIS": redis.socket, "REDIS_INTERVAL_MS": "20"}
    clauses = ("int64_t last; redis:keyspace::db0_keys { @added = sum(args[1]); last = args[0]; } "
               'redis:::sample /last == 0/ { printf("empty\\n"); } redis:::sample /last == 250/ { printa("%@d\\n", @added); exit(0); }')
    sonde = world.start_sonde("-q", "-o", out, provider(world, "redis"), "-n", clauses, env=environment)
    wait_until(lambda: "empty" in pathlib.Path(out).read_text(), what="the first sample")
    for n in range(250):
        equal(redis.ask(f"SET k{n} {n}"), "+OK", "SET")
    equal(world.finish(sonde).status, 0, "exit status")
    equal(pathlib.Path(out).read_text().split()[-1], "250", "keys added")
    listed = world.sonde("-l", "-P", "redis", provider(world, "redis"), env=environment).stdout
    check("total_commands_processed" in listed and "used_memory" in listed, listed[:2000])
    redis.process.send_signal(signal.SIGTERM)
    world.finish(redis.process)
    result = world.sonde("-q", provider(world, "redis"), "-n", "redis:::sample", status=1, env=environment)
    check(f"no Redis server at {redis.socket}: " in result.stderr, result.stderr)


# -- plug-ins in general --

BEAT = """
#include <stdlib.h>
#include <sonde/provider.h>
static dtrace_provider_id_t provider;
static void provide(void *arg, const dtrace_probedesc_t *spec) { if (!spec) { dtrace_probe_create(provider, "", "", NAME, 0, NULL); WHEN_ASKED; } }
static void nothing(void *arg, dtrace_id_t id, void *parg) {}
static int start(void) {
  static dtrace_pattr_t attributes;
  static const dtrace_pops_t ops = {.dtps_provide = provide, .dtps_enable = nothing, .dtps_disable = nothing, .dtps_destroy = nothing};
  return dtrace_register("beat", &attributes, DTRACE_PRIV_USER, NULL, &ops, NULL, &provider);
}
static void stop(void) { dtrace_unregister(provider); }
static const struct sonde_text texts[] = {{"beat.d", TEXT}, {0, 0}};
SONDE_PLUGIN(start, stop, texts);
"""


def beat(world, to, name="one", when_asked="", text=""):
    """A plug-in whose provider, beat, has one probe, compiled with pkg-config's options."""
    flags = run(["pkg-config", "--cflags", "sonde"], env=os.environ | {"PKG_CONFIG_PATH": str(the_prefix(world) / "share/pkgconfig")}).split()
    pathlib.Path(to).parent.mkdir(parents=True, exist_ok=True)
    run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", f'-DNAME="{name}"', f"-DWHEN_ASKED={when_asked}", f'-DTEXT="{text}"', *flags, "-o", to,
         world.path("beat.c", BEAT)])
    return to


NAMES = "-l", "-P", "beat"


@scenario(only="ptrace", why="it is about files")
def plugins_are_found_in_order(world):
    """--provider, SONDE_PROVIDER_PATH, the installed folder; the first plug-in of a name counts. The installed command
    finds its own folder."""
    prefix = pathlib.Path(world.path("prefix"))
    (prefix / "bin").mkdir(parents=True)
    shutil.copy(the_prefix(world) / "bin/sonde", prefix / "bin/sonde")
    command = prefix / "bin/sonde"
    named, first, second = (beat(world, world.path(f"{name}/beat.so"), name) for name in ("named", "first", "second"))
    beat(world, prefix / "lib/sonde/providers/beat.so", "installed")

    def probe(*options, path=""):
        return world.run([command, *options, *NAMES], env={"SONDE_PROVIDER_PATH": path}).stdout.split()[-1]
    equal(probe(), "installed", "of the installed folder")
    path = f"{os.path.dirname(first)}:{os.path.dirname(second)}"
    equal(probe(path=path), "first", "of the path")
    equal(probe(f"--provider={named}", path=path), "named", "of the option")


@scenario(only="ptrace", why="it is about loading")
def bad_plugins_are_left_out_and_tracing_goes_on(world):
    bad = {"crash": "abort()", "exit": "exit(4)", "context": "dtrace_unregister(provider)"}
    reasons = {"crash": "dies of SIGABRT in dtps_provide", "exit": "exits with status 4 in dtps_provide",
               "context": "provider beat: dtrace_unregister may not be called from dtps_provide"}
    options, wanted = [], []
    for name, act in bad.items():
        file = beat(world, world.path(f"{name}.so"), "one", act)
        options.append(f"--provider={file}")
        wanted.append(f"sonde: provider {file} is left out: {reasons[name]}\n")
    nothing = world.path("nothing.so", "no ELF")
    result = world.sonde("-q", *options, f"--provider={nothing}", f"--provider={beat(world, world.path('good.so'))}", "-n",
                         'BEGIN { printf("on\\n"); } beat:::one { } BEGIN { exit(0); }')
    equal(result.stdout.strip(), "on", "output")
    check(all(line in result.stderr for line in wanted) and f"{nothing} is left out: it cannot be loaded: " in result.stderr, result.stderr)


@scenario(only="ptrace", why="it is about the compiler")
def a_plugins_text_that_is_wrong_is_told_and_left(world):
    """Scripts that use none of its names are not affected."""
    good = f"--provider={beat(world, world.path('good.so'), text='inline int TWICE = 2 * 21; typedef int beat_t;')}"
    wrong = f"--provider={beat(world, world.path('wrong.so'), text='inline int BROKEN = ; typedef int beat_t;')}"
    equal(world.sonde("-qn", "BEGIN { trace((beat_t)TWICE); exit(0); }", good).stdout.strip(), "42", "of the text")
    equal(world.sonde("-qn", "BEGIN { trace(42); exit(0); }", wrong).stdout.strip(), "42", "without the text")
    result = world.sonde("-qn", "BEGIN { trace(BROKEN); exit(0); }", wrong, status=1)
    check("wrong.so:beat.d" in result.stderr and "failed to resolve BROKEN: Unknown variable name" in result.stderr, result.stderr)
    equal(world.sonde("-qn", "BEGIN { trace(BROKEN); exit(0); }", good, wrong, status=1).stderr.count("beat.d"), 0, "two of one provider")


@scenario(only="ptrace", why="it is about the file")
def the_command_exports_the_provider_interface_alone(world):
    """Of our own symbols; the libraries in it export what they must share."""
    header = (the_prefix(world) / "include/sonde/provider.h").read_text()
    declared = set(re.findall(r"^\w[\w *]*[ *]((?:dtrace|sonde)_\w+)\(", header, re.M))
    lines = run(["nm", "-D", "--defined-only", the_prefix(world) / "bin/sonde"]).split("\n")
    exported = {line.split()[-1] for line in lines if line}
    equal({name for name in exported if "sonde" in name or name.startswith("dtrace")}, declared, "exported")
    check(len(declared) >= 28, f"the header declares {declared}")


# -- docs/add-a-provider.md, word for word --

@scenario(only="ptrace", why="the page is about an installed copy on any source")
def the_page_on_writing_a_provider_works(world):
    """Its files are written and its commands run as it says, and they print what it says."""
    prefix = the_prefix(world)
    page = (prefix / "share/doc/sonde/docs/add-a-provider.md").read_text()
    folder = pathlib.Path(world.path("fresh"))
    folder.mkdir()
    files = re.findall(r"^`([\w./-]+)`:\n\n((?:(?: {4}.*)?\n)+)", page, re.M)
    check(len(files) >= 3, f"files of the page: {[name for name, _ in files]}")
    for name, text in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(re.sub(r"^    ", "", text, flags=re.M).strip("\n") + "\n")
    commands = re.findall(r"^    \$ (.+)\n((?:    (?!\$ ).*\n)*)", page, re.M)
    check(len(commands) >= 4, f"commands of the page: {commands}")
    environment = world.environment({"PREFIX": str(prefix), "PATH": f"{prefix}/bin:{os.environ['PATH']}"})
    for command, prints in commands:
        out = run(["sh", "-c", command + " 2>&1"], env=environment, cwd=folder)
        for line in filter(None, (re.sub(r"\s+", " ", line).strip() for line in prints.split("\n"))):
            check(line in re.sub(r"\s+", " ", out), f"{command}: {line!r} is not in {out!r}")
