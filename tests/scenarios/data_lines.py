# SPDX-License-Identifier: GPL-3.0-or-later
"""Output as data: what a reader needs beyond the values themselves."""

import csv
import io
import json
import os
import pathlib
import signal

from support import check, equal, scenario, wait_until

WHY = "no target is traced"


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def rotated(world, form, script):
    """The texts of the first and of the second file of a run whose log is rotated once."""
    log, old = pathlib.Path(world.path(f"log.{form}")), pathlib.Path(world.path(f"old.{form}"))
    sonde = world.start_sonde("-q", f"--format={form}", "-o", log, "-n", script)
    wait_until(lambda: log.exists() and log.read_text().count("\n") > 2, what="lines")
    os.rename(log, old)
    sonde.send_signal(signal.SIGHUP)
    wait_until(lambda: log.exists() and log.read_text().count("\n") > 2, what="lines in the new file")
    sonde.send_signal(signal.SIGINT)
    equal(world.finish(sonde).status, 0, "status")
    return old.read_text(), log.read_text()


@scenario(only="ptrace", why=WHY)
def a_file_after_rotation_is_read_without_the_old_one(world):
    """It begins with a start line of the same run; a table with its header."""
    old, new = (lines(text) for text in rotated(world, "jsonl", 'tick-10ms { printf("%d", ++n); @a[probename, n] = count(); }'))
    equal((old[0]["type"], new[0]["type"]), ("start", "start"), "first lines")
    equal([line["seq"] for line in old + new], list(range(1, len(old + new) + 1)), "seq")
    differ = {key for key in old[0] if old[0][key] != new[0][key]}
    check(differ <= {"seq", "ts", "clock_error"}, f"fields that differ: {differ}")
    equal([key["name"] for key in new[0]["aggs"][0]["keys"]], ["probename", "n"], "keys")
    check([line["ts"] for line in new] == sorted(line["ts"] for line in new), "ts ascends")
    old, new = rotated(world, "csv", 'tick-10ms { printf("%d", ++n); }')
    equal(new.splitlines()[0], old.splitlines()[0], "header")
    equal(len(list(csv.reader(io.StringIO(old + new)))[0]), len(new.splitlines()[-1].split(",")), "columns")


FUNCTIONS = {"min": "min(3)", "max": "max(3)", "avg": "avg(3)", "stddev": "stddev(3)", "count": "count()", "sum": "sum(3)"}


@scenario(only="ptrace", why=WHY)
def elements_without_a_value_are_null(world):
    """What clear() has left. Of nothing there are a count and a sum, and neither least, greatest nor mean value."""
    def script(then):
        return "BEGIN { " + "".join(f"@{name} = {call}; {then and f'clear(@{name}); '}" for name, call in FUNCTIONS.items()) + "exit(0); }"
    cleared, full = (lines(world.sonde("-q", "--format=jsonl", "-n", script(then)).stdout) for then in ("clear", ""))
    of = {line["agg"]: line for line in cleared if line["type"] == "agg"}
    equal({name: line["value"] for name, line in of.items()}, {"min": None, "max": None, "avg": None, "stddev": None, "count": 0, "sum": 0}, "cleared")
    equal((of["avg"]["count"], of["avg"]["sum"]), (0, 0), "of a mean")
    equal({line["agg"]: line["value"] for line in full if line["type"] == "agg"}, {"min": 3, "max": 3, "avg": 3, "stddev": 0, "count": 1, "sum": 3}, "full")
    table = list(csv.DictReader(io.StringIO(world.sonde("-q", "--format=csv", "-n", script("clear")).stdout)))
    equal({row["agg"]: row["value"] for row in table}, {"min": "", "max": "", "avg": "", "stddev": "", "count": "0", "sum": "0"}, "table")


@scenario(only="ptrace", why=WHY)
def failed_firings_are_lines(world):
    """Each fault is a line; those of one place that come fast share one. The counts add up to the totals."""
    script = """
        BEGIN { n = 0; }
        tick-1ms { n++; }
        tick-1ms { trace(copyinstr(8)); }
        tick-1ms /n == 3/ { trace(1 / (n - 3)); }
        tick-1ms /n == 50/ { exit(0); }"""
    all_lines = lines(world.sonde("-q", "--format=jsonl", "-n", script).stdout)
    errors = [line for line in all_lines if line["type"] == "error"]
    end = all_lines[-1]
    equal(sum(line["count"] for line in errors), end["faults"], "counts")
    addresses = [line for line in errors if line["fault"].startswith("invalid address")]
    equal({(line["probe"], line["value"], line["action"]) for line in addresses}, {("profile:::tick-1ms", 8, 1)}, "of the address")
    check(sum(line["count"] for line in addresses) >= 49, f"{addresses}")
    divided = [line for line in errors if line["fault"] == "divide-by-zero"]
    equal([("value" in line, line["count"]) for line in divided], [(False, 1)], "of the division")


@scenario(only="ptrace", why="it is about the command line")
def an_option_is_named_as_it_was_typed(world):
    for options, wanted in ((("--interval=x",), "failed to set --interval: "), (("-x", "interval=x"), "failed to set -x interval: "),
                            (("-b", "x"), "failed to set -b: "), (("--duration", "x"), "failed to set --duration: "),
                            (("--format=x",), "failed to set --format: "), (("--exit-on-eof",), "--exit-on-eof, "),
                            (("--interval=0",), "--interval")):
        result = world.sonde(*options, "-qn", "BEGIN { exit(0); }", status=1)
        check(wanted in result.stderr, f"{options}: {result.stderr!r}")
