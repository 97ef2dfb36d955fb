# SPDX-License-Identifier: GPL-3.0-or-later
"""profile on the whole machine without the module: as root, where the kernel takes programs."""

import os
import pathlib
import re

from stock_kernel import SOURCE, apart, is_loaded, need_it, stop_tracing
from support import check, equal, scenario, wait_until

ROUNDS = 100  # samples of each CPU that end a run


def clocks(sonde):
    """The number of clocks that this sonde has."""
    try:
        return sum(os.readlink(one) == "anon_inode:[perf_event]" for one in pathlib.Path(f"/proc/{sonde.pid}/fd").iterdir())
    except OSError:
        return 0


def start_sampling(world, *arguments, source=SOURCE):
    """Starts sonde without a target; returns when the clock of every CPU runs."""
    sonde = world.start_sonde("-q", *source, *arguments)
    wait_until(lambda: clocks(sonde) >= os.cpu_count() or sonde.poll() is not None, what="sonde's start")
    return sonde


def each_cpu(text):
    return {int(cpu): int(count) for cpu, count in re.findall(r"^ +(\d+) +(\d+)$", text, re.M)}


def keep_busy(world):
    """A program that computes on each CPU: the clock of one that is idle may not tick (bpftrace's does not, either)."""
    program = world.program("callers", "-O2")
    return [world.start([program, "600"], preexec_fn=lambda cpu=cpu: os.sched_setaffinity(0, {cpu})) for cpu in os.sched_getaffinity(0)]


def until_rounds():
    """Clauses that end the run when each CPU has been sampled ROUNDS times."""
    each = " && ".join(f"seen[{cpu}] >= {ROUNDS}" for cpu in sorted(os.sched_getaffinity(0)))
    return f"profile-997 {{ seen[cpu]++; }} profile-997 /{each}/ {{ exit(0); }}"


@scenario()
def stock_profile_samples_every_cpu(world):
    """Whoever runs, at the rate that was asked for; in the kernel or in user code, not both; auto takes the same source."""
    need_it(world)
    busy = keep_busy(world)
    script = f"int seen[int]; profile-997 {{ @cpus[cpu] = count(); @both = sum((arg0 != 0) == (arg1 != 0)); }} {until_rounds()}"
    for source in (SOURCE, ()):
        result = world.sonde("-q", *source, "-n", script + ' END { printa("%d %@d\\n", @cpus); printa("both %@d\\n", @both); }')
        found = dict(re.findall(r"^(\d+) (\d+)$", result.stdout, re.M))
        equal(len(found), len(os.sched_getaffinity(0)), f"CPUs of {result.stdout}")
        check("both 0" in result.stdout, result.stdout)
    for one in busy:
        one.kill()


@scenario()
def stock_profile_samples_who_runs(world):
    """A program that computes is found in its own function, where its registers say; the kernel's part is in the kernel."""
    need_it(world)
    program = apart(world, world.program("callers", "-O2"))
    name = os.path.basename(program)
    script = f"""profile-997 /execname == "{name}"/ {{ @pids[pid, tid == pid] = count(); }}
        profile-997 /execname == "{name}" && arg1 != 0/ {{ @wrong = sum(arg1 != uregs[R_RIP] || arg0 != 0); @at[ufunc(arg1)] = count(); }}
        profile-997 /execname == "{name}" && arg0 != 0/ {{ @kernel = sum(arg0 < 0xffff800000000000 || arg1 != 0); }}"""
    sonde = start_sampling(world, "-n", script + ' END { printa("pid %d %d %@d\\n", @pids); printa("wrong %@d\\n", @wrong); printa("kernel %@d\\n", @kernel); printa("at %A %@d\\n", @at); }')
    runs = world.start([program, "1"])
    equal(world.finish(runs).status, 0, "the program's status")
    out = stop_tracing(world, sonde).stdout
    pids = re.findall(r"^pid (\d+) (\d+) (\d+)$", out, re.M)
    equal([(pid, main) for pid, main, _count in pids], [(str(runs.pid), "1")], f"whose samples: {out}")
    check(int(pids[0][2]) > 100, out)
    check("wrong 0" in out and not re.search(r"^kernel [1-9]", out, re.M), out)
    spins = sum(int(n) for n in re.findall(r"^at \S+`spin_\d (\d+)$", out, re.M))
    everything = sum(int(n) for n in re.findall(r"^at .* (\d+)$", out, re.M))
    check(spins > 0.8 * everything, out)


@scenario()
def stock_profile_several_rates(world):
    """Each rate has clocks of its own; several clauses on one run in order, and thread variables last from sample to sample."""
    need_it(world)
    program = apart(world, world.program("callers", "-O2"))
    script = f"""profile-499 /execname == "{os.path.basename(program)}"/ {{ self->n++; this->n = self->n; }}
        profile-499 /self->n/ {{ @wrong = sum(this->n != self->n); @n = max(self->n); }}
        profile-1ms /execname == "{os.path.basename(program)}" && self->n > 50/ {{ exit(0); }}"""
    runs = world.start([program, "60"])
    result = world.sonde("-q", *SOURCE, "-n", script + ' END { printa("%@d %@d\\n", @wrong, @n); }', status=None)
    runs.kill()
    if result.status and "keeps no self-> variables" in result.stderr:
        return
    found = re.search(r"^(\d+) (\d+)$", result.stdout, re.M)
    check(found and found[1] == "0" and int(found[2]) > 50, f"{result.stdout} {result.stderr}")


@scenario()
def stock_profile_leaves_itself_out(world):
    need_it(world)
    busy = keep_busy(world)
    out = world.sonde("-q", *SOURCE, "-n", f"int seen[int]; profile-4999 {{ @[pid == $pid] = count(); }} {until_rounds()}").stdout
    for one in busy:
        one.kill()
    check(re.search(r"^ +0 +\d+$", out, re.M) and not re.search(r"^ +1 +\d+$", out, re.M), out)


@scenario()
def stock_profile_greets_cpus(world):
    """A CPU that comes online gets a clock in place of its old one. The kernel is made to say that one has come."""
    need_it(world)
    news = pathlib.Path("/sys/devices/system/cpu/cpu0/uevent")
    if not os.access(news, os.W_OK):
        return
    sonde = start_sampling(world, "-n", "profile-997 /cpu == 0/ { @ = count(); }")
    before = clocks(sonde)
    for _ in range(3):
        news.write_text("online")
        world.run([world.program("callers", "-O2"), "0.1"])
    equal(clocks(sonde), before, "clocks")
    out = stop_tracing(world, sonde).stdout
    check(re.search(r"[1-9]", out), out)


@scenario()
def stock_profile_killed_leaves_nothing(world):
    need_it(world)
    sonde = start_sampling(world, "-n", "profile-997 { @[execname] = count(); }")
    ids = {int(one) for info in pathlib.Path(f"/proc/{sonde.pid}/fdinfo").iterdir() for one in re.findall(r"^prog_id:\t(\d+)$", info.read_text(), re.M)}
    check(len(ids) >= 2 and all(is_loaded(one) for one in ids), f"programs {ids}")
    sonde.kill()
    sonde.wait()
    wait_until(lambda: not any(is_loaded(one) for one in ids), seconds=1, what="programs to go")
