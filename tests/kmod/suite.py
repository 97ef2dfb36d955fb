#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the kernel module's tests, or with --stock those of the source that needs no module, each in a QEMU guest of its own,
and writes their results in ctest's format. A guest keeps one processor busy, so as many run side by side as there are processors.

If the machine lacks something (no network for a kernel, QEMU missing and not root), tests are skipped with the reason;
with SONDE_REQUIRE_KERNEL=1, which .ci/run sets, they fail. Everything else that goes wrong is our error, and fails;
also a guest that does not come up. tests/guest/run repeats a guest that never came up, but not a test that failed.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

MINE = pathlib.Path(__file__).resolve().parent
GUEST = MINE.parent / "guest"
SETUP_LIMIT, SHORT_LIMIT, LONG_LIMIT = 1800, 1800, 6 * 3600  # seconds, after which a test is ended
CANNOT = 3  # status of tests/guest/setup and kernel if the machine lacks something
NOT_RUN, NEVER_UP = 125, "run: the guest did not start"  # status and message of tests/guest/run


@dataclasses.dataclass
class Outcome:
    name: str
    state: str  # passed, failed, skipped
    seconds: float
    text: str = ""


def say(text):
    print(f"kernel: {text}", file=sys.stderr, flush=True)


def kernels(which):
    """(suite, package) from tests/guest/kernels: those marked with a word of `which`; all if it is empty."""
    for line in (GUEST / "kernels").read_text().splitlines():
        words = line.split()
        if words and not line.startswith("#") and (not which or set(words[2:]) & set(which)):
            yield words[0], words[1]


def default_mark():
    """The mark of the kernel that a guest can boot here, according to tests/guest/lib.sh."""
    fits = subprocess.run(["bash", "-c", f'. "{GUEST}/lib.sh"; can_use_virtiofs'], check=False, stdin=subprocess.DEVNULL).returncode == 0
    return "default" if fits else "default-9p"


def trouble(name, status, why):
    """The outcome of a step that failed before any test ran."""
    cannot = status == CANNOT
    if cannot and os.environ.get("SONDE_REQUIRE_KERNEL") == "1":
        cannot, why = False, f"SONDE_REQUIRE_KERNEL=1, but {why}"
    say(f"{'SKIPPED' if cannot else 'FAILED'}: {why}")
    return Outcome(name, "skipped" if cannot else "failed", 0, why)


def fetch(suite, package):
    """(release, None), or (None, the outcome with the reason)."""
    argv = [GUEST / "kernel", *(["--suite", suite] if suite != "-" else []), package]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
    if done.returncode == 0:
        return done.stdout.split()[-1], None
    why = f"no kernel {package} ({suite}): " + " ".join(done.stderr.split()[-30:])
    return None, trouble(f"kernel.{package}", done.returncode, why)


def tests_of(release, arguments, first):
    """(name, command) of each test on a kernel. In the short version, kernels after the first run only the API table."""
    run, device = MINE / "run", MINE / "device" / "guest"
    kernel, sonde, short = ["--kernel", release], arguments.sonde.resolve(), arguments.short
    if arguments.stock:
        yield "stock", [GUEST / "stock", *kernel, sonde, sonde.parent / "bpf_test"]
        return
    api = "api", [run, *kernel]
    if short and not first:
        yield api
        return
    yield "device", [device, *kernel, sonde]  # it takes longest
    yield "worst", [device, *kernel, "--worst", "short" if short else "full", sonde]
    if short:
        yield "scenarios", [MINE / "scenarios", *kernel, "--short", sonde]
    yield "make_clean", [MINE / "make_clean", *kernel]  # no guest
    yield api
    yield "unfit", [MINE / "unfit", *kernel, *(["argument"] if short else [])]  # each case builds a module and boots a guest
    if short:
        return
    yield "users", [MINE / "users", *kernel, sonde]
    yield "torture", [run, *kernel, "--torture", "60"]
    yield "reload", [run, *kernel, "--reload", "40", "--torture", "0.5"]
    yield "killed", [device, *kernel, "--killed", "60", sonde]
    yield "scenarios", [MINE / "scenarios", *kernel, sonde]
    yield "scripts", [MINE / "scenarios", *kernel, "--scripts", sonde, "-k", "tst."]


def call(argv, log, limit):
    """The exit status of a command whose output goes to a file; 124 if it took longer than `limit` seconds."""
    argv = ["timeout", "-k", "60", limit, *argv]
    with open(log, "w", encoding="utf-8", errors="replace") as output:
        return subprocess.run([str(a) for a in argv], stdout=output, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, check=False).returncode


def first_guest(log):
    """Sets up and boots a guest. None: it came up; else the outcome with the reason."""
    if status := call([GUEST / "setup"], log, SETUP_LIMIT):
        return trouble("kernel.guest", status, "the guest is not set up: " + " ".join(log.read_text().split()[-40:]))
    if call([GUEST / "run", "--single", "--timeout", "600", "--", "true"], log, SETUP_LIMIT):
        return trouble("kernel.guest", NOT_RUN, "no guest comes up: " + " ".join(log.read_text().split()[-40:]))
    return None


def run_one(name, argv, log, limit):
    """Prints the test's output if it fails."""
    began = time.monotonic()
    status = call(argv, log, limit)
    if status == NOT_RUN and NEVER_UP in log.read_text(errors="replace"):
        status = call(argv, log, limit)
    seconds = time.monotonic() - began
    if status == 0:
        say("; ".join([f"{name}: passed ({seconds:.0f} s)", *counted(log.read_text(encoding="utf-8", errors="replace"))]))
        return Outcome(name, "passed", seconds)
    text = log.read_text(encoding="utf-8", errors="replace")
    print(text[-20000:])
    say(f"{name}: failed, status {status} ({seconds:.0f} s; all of it: {log})")
    return Outcome(name, "failed", seconds, text[-20000:])


def counted(text):
    """The counts that a test reports: rows of the API table, device programs, scenarios, golden scripts, runs of users."""
    yield from re.findall(r"^\d+ runs, \d+ failed$|^\d+ rows, \d+ nearest, \d+ failed$|^\d+ passed, \d+ failed, \d+ skipped$|^\d+ scripts, .*$", text, re.M)
    if programs := re.findall(r"^\w+: passed$", text, re.M):
        yield f"{len(programs)} runs of device programs"


def write_xml(path, outcomes):
    suite = xml.Element("testsuite", name="kernel", tests=str(len(outcomes)))
    for outcome in outcomes:
        case = xml.SubElement(suite, "testcase", name=outcome.name, time=f"{outcome.seconds:.1f}",
                              status={"passed": "run", "failed": "fail", "skipped": "notrun"}[outcome.state])
        if outcome.state == "failed":
            xml.SubElement(case, "failure", message="failed")
        if outcome.state == "skipped":
            xml.SubElement(case, "skipped", message=outcome.text)
        xml.SubElement(case, "system-out").text = "".join(c for c in outcome.text if c.isprintable() or c == "\n")
    xml.ElementTree(suite).write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="on every kernel of tests/guest/kernels")
    parser.add_argument("--short", action="store_true", help="what takes minutes: all of it on one kernel, the API table on a newer one")
    parser.add_argument("--stock", action="store_true", help="instead of the module's: the bpf source's, on each kernel that is marked for it")
    parser.add_argument("--xml", type=pathlib.Path, required=True, help="where the results go")
    parser.add_argument("sonde", type=pathlib.Path)
    arguments = parser.parse_args()

    say("setting up a guest")
    logs = arguments.xml.parent
    logs.mkdir(parents=True, exist_ok=True)
    outcomes, tests = [], []
    if why := first_guest(logs / "kernel-setup.log"):
        outcomes.append(why)
    else:
        default = default_mark()
        marks = ["stock"] if arguments.stock else [] if arguments.all else [default, "newer"]
        for number, (suite, package) in enumerate(kernels(marks)):
            release, why = fetch(suite, package)
            if release is None:
                outcomes.append(why)
                continue
            tests += [(f"kernel.{release}.{name}", argv, logs / f"kernel-{release}-{name}.log")
                      for name, argv in tests_of(release, arguments, number == 0)]
        limit = SHORT_LIMIT if arguments.short else LONG_LIMIT
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as guests:
            outcomes += guests.map(lambda test: run_one(*test, limit), tests)
    write_xml(arguments.xml, outcomes)
    return 1 if any(o.state == "failed" for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
