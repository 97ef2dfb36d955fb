# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes that sonde makes of the functions of programs which bring none along: tcl, mysql."""

import os
import pathlib
import shutil
import subprocess
import time

from stock_kernel import SOURCE as BPF, need_it
from support import Skip, check, equal, scenario

TCL = """
proc inner {n} { if {$n == 7} { error odd } ; return [string length $n] }
proc outer {n} { inner $n }
namespace eval deep { proc er {a b args} { return "text $a" } }
for {set i 0} {$i < 10} {incr i} { catch { outer $i } }
deep::er 1 2 3 4
catch { outer }
apply {{x} { return 5 }} 1
"""
TCL_CALLS = r"""
%(p)s:::proc-entry /copyinstr(arg0) != "tclInit" && copyinstr(arg0) != "::tcl::initClock"/ { @["entry", copyinstr(arg0), arg1] = count(); }
%(p)s:::proc-return /copyinstr(arg0) != "tclInit" && copyinstr(arg0) != "::tcl::initClock"/ { @["return", copyinstr(arg0), arg1] = count(); }
%(p)s:::proc-result /arg2 != 0 && copyinstr(arg0) == "deep::er"/ { printf("result %%s\n", copyinstr(arg2)); }
%(p)s:::cmd-entry /copyinstr(arg0) == "outer"/ { @["command", copyinstr(arg0), arg1] = count(); }
END { printa("%%s %%s %%d %%@d\n", @); }
"""
TCL_COUNTS = {"entry outer 1": 10, "entry inner 1": 10, "entry deep::er 4": 1, "return outer 0": 9, "return outer 1": 1, "return inner 0": 9, "return inner 1": 1,
              "return deep::er 0": 1, "command outer 1": 10, "command outer 0": 1}


def need_tcl():
    if shutil.which("tclsh8.6") is None:
        raise Skip("no tclsh8.6: tcl8.6")


def check_tcl(text):
    counted = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(("entry", "return", "command"))}
    lambdas = {name: counted.pop(name) for name in list(counted) if "{x}" in name}
    equal(counted, TCL_COUNTS, text)
    equal(sorted(lambdas.values()), [1, 1], f"the lambda: {lambdas}")
    check("result text 1\n" in text, text)


@scenario()
def usdt_tcl(world):
    """Procedures of Debian's Tcl: each call, its name, how many words it has, and the code with which it returns."""
    need_tcl()
    script = world.path("calls.tcl", TCL)
    check_tcl(world.sonde("-q", "-n", TCL_CALLS % {"p": "tcl$target"}, "-c", f"tclsh8.6 {script}").stdout)
    check_tcl(world.sonde("-q", "-Z", "-n", TCL_CALLS % {"p": "tcl*"}, "-c", f"sh -c 'exec tclsh8.6 {script}'").stdout)
    for name, why in (("cmd-return", "knows no command when it ends"), ("obj-create", "--enable-dtrace"), ("inst-start", "has no place for one instruction")):
        result = world.sonde("-n", f"tcl$target:::{name} {{ }}", "-c", f"tclsh8.6 {script}", status=1)
        check(f"tcl:::{name} is not available" in result.stderr and why in result.stderr, result.stderr)
    result = world.sonde("-n", "tcl$target:::proc-entry { }", "-c", "/bin/true", status=1)
    check("has no Tcl 8.6 mapped" in result.stderr, result.stderr)


@scenario()
def usdt_stock_tcl(world):
    """The same on a stock kernel, of a Tcl that starts later."""
    need_it(world)
    need_tcl()
    script = world.path("calls.tcl", TCL)
    check_tcl(world.sonde("-q", *BPF, "-n", TCL_CALLS % {"p": "tcl*"}, "-c", f"tclsh8.6 {script}").stdout)


class Server:
    """A MariaDB of its own, without users and privileges."""

    def __init__(self, world):
        program = shutil.which("mariadbd", path="/usr/sbin:/usr/bin")
        if program is None or shutil.which("mariadb") is None:
            raise Skip("no mariadbd: mariadb-server-core, mariadb-client-core")
        self.world, self.folder = world, pathlib.Path(world.path("server"))
        (self.folder / "data").mkdir(parents=True)
        self.program = world.start([program, "--no-defaults", "--skip-grant-tables", "--skip-innodb", "--default-storage-engine=MyISAM", f"--datadir={self.folder}/data",
                                    f"--socket={self.folder}/s", "--skip-networking", "--query-cache-type=1", "--query-cache-size=1M"]
                                   + (["--user=root"] if os.getuid() == 0 else []), stderr=subprocess.DEVNULL)
        for _ in range(300):
            if self.ask("select 1").status == 0:
                break
            time.sleep(0.1)
        else:
            check(False, "the server does not start")

    def ask(self, text, *options):
        with open(self.world.path("questions", text), encoding="ascii") as questions:
            return self.world.run(["mariadb", "--no-defaults", "-f", "-S", f"{self.folder}/s", "-N", *options], stdin=questions)


QUERIES = """create table t (n int);
insert into t values (1), (2);
select sum(n) from t;
select sum(n) from t;
selec nothing;
select * from nowhere;
prepare later from 'select 42';
execute later;
"""
TOLD = r"""
BEGIN { printf("ready\n"); }
%(p)s:::connection-start { printf("connected %%s\n", copyinstr(arg2)); self->c = arg0; }
%(p)s:::command-start /arg1 != 3/ { printf("command %%d %%d\n", arg1, arg0 == self->c); }
%(p)s:::query-start { printf("query %%s: %%s %%d\n", arg2 ? copyinstr(arg2) : "-", copyinstr(arg0), arg1 == self->c); }
%(p)s:::query-parse-done /arg0 != 0/ { printf("no SQL\n"); }
%(p)s:::query-exec-start /arg5 != 0/ { printf("prepared %%s\n", copyinstr(arg0)); }
%(p)s:::query-exec-done /arg0 != 0/ { printf("fails\n"); }
%(p)s:::query-cache-hit { printf("hit\n"); }
%(p)s:::command-done /self->q/ { printf("end\n"); self->q = 0; }
%(p)s:::query-done { printf("done %%d\n", arg0); self->q = 1; }
%(p)s:::connection-done { printf("gone %%d\n", arg1 == self->c); }
"""
SEEN = """connected localhost
query -: create database d 1
done 0
end
command 1 1
gone 1
connected localhost
query d: create table t (n int) 1
done 0
end
query d: insert into t values (1), (2) 1
done 0
end
query d: select sum(n) from t 1
done 0
end
query d: select sum(n) from t 1
hit
done 0
end
query d: selec nothing 1
no SQL
done 1
end
query d: select * from nowhere 1
fails
done 1
end
query d: prepare later from 'select 42' 1
done 0
end
query d: execute later 1
prepared select 42
done 0
end
command 1 1
gone 1
""".splitlines()


def check_mysql(world, *options, provider="mysql$target"):
    server = Server(world)
    sonde = world.start_sonde("-q", *options, "-n", TOLD % {"p": provider}, *(["-p", str(server.program.pid)] if "$" in provider else []))
    equal(sonde.stdout.readline().strip(), "ready", "its start")
    equal(server.ask("create database d;").status, 0, "a database")
    equal(server.ask(QUERIES, "d").stdout.split(), ["3", "3", "42"], "answers")
    sonde.send_signal(2)
    result = world.finish(sonde)
    seen = [line for line in result.stdout.splitlines() if line]
    equal(seen, SEEN, result.stderr)
    server.program.kill()
    server.program.wait()


@scenario()
def usdt_mysql(world):
    """Queries of Debian's MariaDB: text, database, connection, whether they fail, what is prepared and cached."""
    check_mysql(world)


@scenario()
def usdt_stock_mysql(world):
    """The same on a stock kernel, of every server of the machine."""
    need_it(world)
    check_mysql(world, *BPF, provider="mysql*")


@scenario()
def usdt_mysql_that_is_refused(world):
    """What has no function is refused with what to type; so is a process that is no server."""
    result = world.sonde("-n", "mysql$target:::query-start { }", "-c", "/bin/true", status=1)
    check("is no MariaDB server" in result.stderr, result.stderr)
    server = Server(world)
    for name, why in (("insert-row-start", "pid$target:mariadbd:*ha_write_row*:entry"), ("net-read-start", "syscall::recv*:return"), ("update-start", "query-exec-start")):
        result = world.sonde("-n", f"mysql$target:::{name} {{ }}", "-p", str(server.program.pid), status=1)
        check(f"mysql:::{name} is not available" in result.stderr and why in result.stderr, result.stderr)
    server.program.kill()
    server.program.wait()
