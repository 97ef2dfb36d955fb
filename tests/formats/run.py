#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks how other programs read -x format=: every action and every aggregating function in each format.

    jsonl    each line fits docs/format/lines.schema.json (python3-jsonschema), jq reads them all, numbers and bytes come back equal
    csv      Python's csv module, in its strict mode, reads what jsonl says
    folded   parsed as by inferno; the counts are those of the aggregation
    svg      XML whose frames are on top of each other, with the widths of the folded stacks; node clicks, types and resizes
    chrome   by tests/scenarios/trace_events.py, which forgives nothing

An action or an aggregating function of the tables that has no script here is a failure. Without python3-jsonschema or
jq it is skipped, with a message.
"""

import argparse
import collections
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scenarios"))
import trace_events  # noqa: E402

SCHEMA = ROOT / "docs/format/lines.schema.json"
SKIPPED = 77
TIMEOUT = 60  # s
WIDEST = 7.23  # pixels: a letter of DejaVu Sans Mono at 12px; Liberation Mono and Courier are 7.2

INT64 = (-2**63, -2**63 + 1, -2**53, -2**53 + 1, -1, 0, 1, 2**53 - 1, 2**53, 2**63 - 1)
BYTES = bytes(range(1, 256))

DECLARE = """
struct inner { char c; int64_t deep; };
enum color { RED, GREEN = 5 };
struct outer { int a; uint64_t big; char text[8]; struct inner in[2]; int bits : 3; enum color color; unsigned short list[2]; };
"""
FILL = """
	this->o = (struct outer *)alloca(sizeof (struct outer));
	this->o->a = -5; this->o->big = 18446744073709551615; this->o->text[0] = 'h'; this->o->text[1] = 'i';
	this->o->in[1].c = 'x'; this->o->in[1].deep = 9007199254740993; this->o->bits = -2; this->o->color = GREEN; this->o->list[1] = 65535;
"""

# action -> (options, script, argv of -c or None). Each action of a firing is one line.
ACTIONS = {
    "printf": ("", 'BEGIN { printf("%s %d %u %x %c %Y\\n", "text", -1, 2, 255, 65, walltimestamp); exit(0); }', None),
    "trace": ("", 'BEGIN { trace(1); trace("two"); trace((char)-3); trace((uint64_t)18446744073709551615); exit(0); }', None),
    "tracemem": ("", 'BEGIN { this->p = (char *)alloca(4); this->p[0] = 200; this->p[3] = 7; tracemem(this->p, 4); exit(0); }', None),
    "print": ("", DECLARE + "BEGIN {" + FILL + "print(this->o); exit(0); }", None),
    "printa": ("", 'BEGIN { @a["x"] = count(); @b["x"] = sum(2); @b["y"] = sum(3); printa(@a); printa("%s %@d %@d\\n", @a, @b); exit(0); }', None),
    "stack": ("", "BEGIN { stack(); exit(0); }", None),
    "ustack": ("", "syscall::write:entry { ustack(); }", ["echo", "x"]),
    "jstack": ("", "syscall::write:entry { jstack(); }", ["echo", "x"]),
    "sym": ("", "BEGIN { sym(0); exit(0); }", None),
    "func": ("", "BEGIN { func(0); exit(0); }", None),
    "mod": ("", "BEGIN { mod(0); exit(0); }", None),
    "usym": ("", "syscall::write:entry { usym(uregs[R_PC]); }", ["echo", "x"]),
    "uaddr": ("", "syscall::write:entry { uaddr(uregs[R_PC]); }", ["echo", "x"]),
    "ufunc": ("", "syscall::write:entry { ufunc(uregs[R_PC]); }", ["echo", "x"]),
    "umod": ("", "syscall::write:entry { umod(uregs[R_PC]); }", ["echo", "x"]),
    "system": ("-w", 'BEGIN { system("true %d", 1); exit(0); }', None),
    "freopen": ("-w", 'BEGIN { trace(1); freopen("/dev/null"); freopen(""); trace(2); exit(0); }', None),
    "ftruncate": ("", "BEGIN { trace(1); ftruncate(); exit(0); }", None),
    "exit": ("", "BEGIN { exit(7); }", None),
    "clear": ("", "BEGIN { @ = sum(5); printa(@); clear(@); } BEGIN { @ = sum(1); exit(0); }", None),
    "trunc": ("", 'BEGIN { @["a"] = sum(5); @["b"] = sum(6); trunc(@, 1); exit(0); }', None),
    "normalize": ("", "BEGIN { @ = sum(5000); normalize(@, 1000); exit(0); }", None),
    "denormalize": ("", "BEGIN { @ = sum(5000); normalize(@, 1000); denormalize(@); exit(0); }", None),
    "setopt": ("", 'BEGIN { setopt("quiet"); exit(0); }', None),
    "speculate": ("", "BEGIN { self->s = speculation(); } BEGIN { speculate(self->s); trace(5); } BEGIN { commit(self->s); } BEGIN { exit(0); }", None),
    "commit": ("", "BEGIN { @ = count(); self->s = speculation(); } BEGIN { speculate(self->s); printa(@); } BEGIN { commit(self->s); } BEGIN { exit(0); }", None),
    "discard": ("", "BEGIN { self->s = speculation(); } BEGIN { speculate(self->s); trace(5); } BEGIN { discard(self->s); } BEGIN { exit(0); }", None),
    "raise": ("-w", "syscall::write:entry { raise(SIGCONT); }", ["echo", "x"]),
    "inject": ("-w", "syscall::getppid:entry { inject(-1); }", ["sh", "-c", ":"]),
    "__delay": ("-w", "syscall::write:entry { __delay(1000); }", ["echo", "x"]),
    "__signal": ("-w", "syscall::write:entry { __signal(SIGCONT); }", ["echo", "x"]),
    "stop": ("-w", "syscall::write:entry { stop(); system(\"kill -CONT %d\", pid); }", ["echo", "x"]),
    "chill": ("-w", "syscall::write:entry { chill(1000); }", ["echo", "x"]),
    "copyout": ("-w", 'syscall::write:entry { copyout("y", arg1, 1); }', ["echo", "x"]),
    "copyoutstr": ("-w", 'syscall::write:entry { copyoutstr("", arg1 + 1, 1); }', ["echo", "x"]),
}
# Actions without lines of their own: their effect is seen elsewhere, or they cannot be done.
NO_LINE = {"ftruncate", "printa", "exit", "clear", "trunc", "normalize", "denormalize", "setopt", "speculate", "commit", "discard", "raise", "stop", "inject", "__delay", "__signal", "chill",
           "copyout", "copyoutstr"}
REFUSED = {"breakpoint", "panic"}
PART = {"freopen", "ftruncate"}  # output before or after them is not in the file
NAMES = {"sym", "func", "mod", "usym", "uaddr", "ufunc", "umod", "stack", "ustack", "jstack"}  # as statements they trace

# function -> (arguments after the value, the fields for the values -6, 0 and 9)
AGGREGATES = {
    "count": (None, {"value": 3}),
    "sum": ("", {"value": 3}),
    "min": ("", {"value": -6}),
    "max": ("", {"value": 9}),
    "avg": ("", {"value": 1, "count": 3, "sum": 3}),
    "stddev": ("", {"value": 6, "count": 3, "sum": 3, "sumsq": "117"}),
    "quantize": ("", {"count": 3, "bucket": [-4, 0, 8], "n": [1, 1, 1]}),
    "lquantize": (", -2, 6, 4", {"count": 3, "bucket": [-6, -2, 6], "n": [1, 1, 1]}),
    "llquantize": (", 2, 1, 3, 2", {"count": 3, "bucket": [-4, 0, 8], "n": [1, 1, 1]}),
}


class Failed(Exception):
    pass


def check(good, *what):
    if not good:
        raise Failed(" ".join(map(str, what)))


def rows(table, pattern):
    return re.findall(pattern, (ROOT / table).read_text(), re.M)


class Sonde:
    def __init__(self, binary):
        self.binary = binary

    def run(self, form, script, options="", program=None):
        """(status, bytes of standard output, messages). The output goes to a file, because stdout has the program's
        own."""
        with tempfile.TemporaryDirectory(prefix="sonde-formats-") as folder:
            argv = [self.binary, "-x", f"format={form}", "-o", f"{folder}/out", *options.split(), "-n", script]
            argv += [] if program is None else ["-c", " ".join(program)]
            environment = {k: v for k, v in os.environ.items() if not k.startswith(("SONDE_", "DTRACE_"))}
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, env=environment, check=False, start_new_session=True)
            output = pathlib.Path(folder, "out")
            return done.returncode, output.read_bytes() if output.exists() else b"", done.stderr.decode(errors="replace")


# A browser's part of what the script of a picture uses. Clicks on each frame, then on "all"; prints what each click shows.
PAGE = """
const groups = %s.map(({data, rect, text}) => {
  const part = attributes => ({setAttribute: (name, value) => { attributes[name] = +value; }, attributes});
  const parts = {rect: part(rect), text: part(text)}, classes = new Set();
  return {dataset: data, style: {}, classes, parts, querySelector: name => parts[name],
          classList: {contains: name => classes.has(name), toggle: (name, on) => on ? classes.add(name) : classes.delete(name)},
          addEventListener: (event, run) => { data[event] = run; }};
});
const attributes = {height: 100}, listeners = {};
const others = {svg: {getAttribute: name => attributes[name], setAttribute: (name, value) => { attributes[name] = value; }}, '#info': {}, '#top': {setAttribute() {}}, '#below': {setAttribute: (name, value) => { attributes[name] = value; }},
  'text.t': {}, title: {textContent: 'the title'}, input: {addEventListener: (event, run) => { listeners[event] = run; }, focus() {}, select() {}, blur() {}}};
const document = {querySelectorAll: which => which === 'g.f' ? groups : [], querySelector: which => others[which]};
const innerWidth = {valueOf: () => innerWidth.now, now: 1200};
const page = {document, innerWidth, innerHeight: 40, scrollY: 50, scrollTo() {}, addEventListener: (event, run) => { listeners[event] = run; }};
new Function(...Object.keys(page), %s)(...Object.values(page));
const seen = {}, said = {};
const type = text => { others.input.value = text; listeners.input(); };
for (const text of ['narrow', 'F', 'f', 'f|narrow', '[', 'nothing']) {
  type(text);
  said[text] = [others['#info'].textContent, groups.filter(group => group.classes.has('hit')).map(group => group.dataset.n)];
}
listeners.keydown({key: 'f', ctrlKey: true, preventDefault() { said.prevented = true; }});
listeners.keydown({key: 'Escape'});
said.escape = [others['#info'].textContent, groups.filter(group => group.classes.has('hit')).length];
for (const one of [...groups, groups[0]]) {
  one.dataset.click();
  one.dataset.mouseover();
  (said.over ??= {})[one.dataset.n] = others['#info'].textContent;
  groups.find(group => group.dataset.n === 'f').dataset.mouseover();
  (said.of_f ??= {})[one.dataset.n] = others['#info'].textContent;
  one.dataset.mouseout();
  seen[one.dataset.n] = groups.filter(group => group.style.display !== 'none').map(group => ({
    n: group.dataset.n, label: group.parts.text.textContent,
    place: [group.parts.rect.attributes.x, group.parts.rect.attributes.width, ...group.classes].map(x => typeof x === 'number' ? Math.round(x) : x)}));
}
groups[1].dataset.click();
innerWidth.now = 600;
listeners.resize();
said.resized = [attributes, groups[1].parts.rect.attributes.width];
console.log(JSON.stringify([seen, said]));
"""


# ---- jsonl ---------------------------------------------------------------------------------------------------------


def constant(number):
    """A constant in D; the minimal int64 has no literal."""
    return f"({number + 1} - 1)" if number == -2**63 else f"({number})"


def exact(value):
    """A number in the notation of the lines."""
    return value if abs(value) < 2**53 else str(value)


def bytes_of(line, text):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode()) if line.get("esc") else text.encode()


class Lines:
    """The output of one run; each line is checked."""

    def __init__(self, validator, output, is_whole):
        self.text = output
        check(output.endswith(b"\n"), "the last line has no end:", output[-200:])
        self.all = [json.loads(line.decode("utf-8")) for line in output.splitlines()]
        for line in self.all:
            wrong = [error.message for error in validator.iter_errors(line)]
            check(not wrong, wrong[:3], line)
        if not is_whole:
            return
        check([line["seq"] for line in self.all] == list(range(1, len(self.all) + 1)), "a hole in seq")
        check(len({line["run"] for line in self.all}) == 1, "two runs")
        check(self.all[0]["type"] == "start" and [line["type"] for line in self.all[-2:]] == ["ledger", "end"], "the ends are", self.all[0], self.all[-2:])
        for kind, field in (("record", "records"), ("agg", "elements")):
            count = len(self.of(kind))
            check(sum(one[field] for one in self.of("ledger")) == count == self.all[-1][field], field, "are", count, "in", self.of("ledger"))

    def of(self, kind):
        return [line for line in self.all if line["type"] == kind]


class Jsonl:
    def __init__(self, sonde):
        import jsonschema
        schema = json.loads(SCHEMA.read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema)
        self.sonde = sonde

    def lines(self, script, options="-q", program=None, status=0, form="jsonl", is_whole=True):
        got, output, messages = self.sonde.run(form, script, options, program)
        check(got == status, "status", got, messages)
        lines = Lines(self.validator, output, is_whole)
        jq = subprocess.run(["jq", "-c", "."], input=output, capture_output=True, timeout=TIMEOUT, check=False)
        check(jq.returncode == 0 and jq.stdout.count(b"\n") == len(lines.all), "jq says", jq.stderr.decode())
        return lines

    def actions(self):
        """Each action has its line, or none if it prints nothing."""
        kinds = dict(rows("runtime/lang/functions.h", r'^\s*\{"(\w+)",\s*"[^"]*",\s*Runs::(\w+)'))
        wanted = {name for name, kind in kinds.items() if kind not in ("Body", "Fire", "Refused")} | NAMES
        check(wanted - REFUSED == set(ACTIONS), "no script, or no action:", wanted.symmetric_difference(set(ACTIONS) | REFUSED))
        for name, (options, script, program) in ACTIONS.items():
            for quiet in ("", "-q"):
                lines = self.lines(script, f"{quiet} {options}", program, 7 if name == "exit" else 0, is_whole=name not in PART)
                actions = [line.get("action") for line in lines.of("record")]
                check(name in NO_LINE or name in actions, name, "is not among", actions)
                check(not quiet or None not in actions, name, "has a line without an action, though it is quiet")
                check(all("execname" in line for line in lines.of("record")), name, "without execname")

    def values(self):
        """print() gives an object; frames and names; effects of commit(), clear(), trunc() and normalize()."""
        options, script, _ = ACTIONS["print"]
        record = self.lines(script, "-q " + options).of("record")[0]
        check(record["args"] == [{"a": -5, "big": "18446744073709551615", "text": "hi", "in": [{"c": 0, "deep": 0}, {"c": 120, "deep": "9007199254740993"}],
                                  "bits": -2, "color": "GREEN", "list": [0, 65535]}], record)
        ustack = self.lines(ACTIONS["ustack"][1], "-q", ["echo", "x"]).of("record")[0]
        check(ustack["execname"] == "echo" and ustack["pid"] == ustack["tid"] and "libc.so.6`" in ustack["frames"][0], ustack)
        check(any(frame.startswith("echo") for frame in ustack["frames"]), "the program is not in", ustack["frames"])
        tracemem = self.lines(ACTIONS["tracemem"][1]).of("record")[0]
        check(tracemem["args"] == ["c8000007"], tracemem)
        clear = self.lines(ACTIONS["clear"][1]).of("agg")
        check([line["value"] for line in clear] == [5, 1] or [line["value"] for line in clear] == [5], clear)
        check(self.lines(ACTIONS["normalize"][1]).of("agg")[0]["normal"] == 1000, "normalize() is not seen")
        check([line["keys"] for line in self.lines(ACTIONS["trunc"][1]).of("agg")] == [["b"]], "trunc() is not seen")
        check([line["args"] for line in self.lines(ACTIONS["commit"][1].replace("printa(@)", "trace(9)")).of("record")] == [[9]], "commit() is not seen")
        end = self.lines("BEGIN { exit(7); }", status=7).all[-1]
        check(end["status"] == 7 and end["reason"] == "exit", end)
        check(self.lines("BEGIN { }", "-q", ["true"]).all[-1]["reason"] == "target", "the target's end is not the reason")
        check(self.lines("BEGIN { trace(1); exit(0); }", form="json").of("record"), "format=json is not jsonl")

    def firings(self):
        """All actions of a firing have its number."""
        script = 'BEGIN { trace(1); trace(2); } BEGIN { trace(3); } END { trace(4); } tick-1ms { exit(0); }'
        firings = {line["args"][0]: line["firing"] for line in self.lines(script).of("record")}
        check(firings[1] == firings[2] == firings[3] != firings[4], firings)
        nested = self.lines("BEGIN { trace(1); } BEGIN { trace(*(int *)8); } ERROR { trace(2); } BEGIN { trace(3); exit(0); }").of("record")
        check([line["firing"] for line in nested] == [1, 2, 1], nested)

    def faults(self):
        lines = self.lines("BEGIN { trace(*(int *)8); } BEGIN { exit(0); }")
        check(lines.all[-1]["faults"] == 1 and not lines.of("record"), lines.all[-1])
        drops = self.lines('tick-1ms /i < 40/ { i++; speculate(0); } BEGIN { speculation(); speculation(); } tick-30ms { exit(0); }').all[-1]
        check(drops["spec_drops"] == 1, drops)

    def intervals(self):
        """Snapshots of deltas: the first line says so, each ends with its ledger, the sums of all functions are right;
        the time limit is the reason for the end."""
        values = "".join(f"@{name}[\"k\"] = {name}({'' if more is None else 'n' + more}); " for name, (more, _) in AGGREGATES.items())
        script = "tick-5ms { n++; " + values + "}"
        lines = self.lines(script, "-q --interval=100ms --duration=550ms")
        check((lines.all[0]["interval"], lines.all[0]["temporality"]) == (100_000_000, "delta"), lines.all[0])
        check(lines.all[-1]["reason"] == "limit" and len(lines.of("ledger")) >= 5, lines.all[-1], len(lines.of("ledger")))
        total = sum(line["value"] for line in lines.of("agg") if line["func"] == "count")
        check(total > 50, "ticks", total)
        for name in AGGREGATES:
            of = [line for line in lines.of("agg") if line["func"] == name]
            check(len({line["start"] for line in of}) == len(of) >= 4, name, "in snapshots:", of)
            if name in ("min", "max"):
                check((min if name == "min" else max)(line["value"] for line in of) == (1 if name == "min" else total), of)
            elif name == "sum":
                check(sum(line["value"] for line in of) == total * (total + 1) // 2, of)
            elif name != "count":
                check(sum(line["count"] for line in of) == total, name, of)

    def aggregates(self):
        """Each function: at the end and with printa(), with keys of every kind."""
        names = rows("runtime/agg/functions.h", r'^\s*\{"(\w+)", "void')
        check(set(names) == set(AGGREGATES), "no test of", set(names).symmetric_difference(AGGREGATES))
        for name, (more, fields) in AGGREGATES.items():
            values = "".join(f"@a[\"k\", 1] = {name}({'' if more is None else str(value) + more}); " for value in (-6, 0, 9))
            for show in ("", "printa(@a); ", 'printa("%s %d %@d\\n", @a); '):
                (line,) = self.lines("BEGIN { " + values + show + "exit(0); }").of("agg")
                check(line["func"] == name and line["keys"] == ["k", "1"] and line["agg"] == "a", line)
                check({field: line[field] for field in ("value", "count", "sum", "sumsq", "bucket", "n") if field in line} == fields, line)
        script = ('struct b { unsigned char a[3]; char pad; }; struct b k;'
                  'BEGIN { k.a[0] = 1; k.a[1] = 255; @k[(int)-1, (uint64_t)18446744073709551615, (void *)4096, "s", k, probefunc] = count(); exit(0); }')
        lines = self.lines(script)
        check(lines.of("agg")[0]["keys"] == ["-1", "18446744073709551615", "0x1000", "s", "01ff0000", ""], lines.of("agg")[0])
        described = lines.all[0]["aggs"][0]["keys"]
        check([key["type"] for key in described] == ["int", "uint", "pointer", "string", "bytes", "string"], described)
        check([key["name"] for key in described] == ["key0", "key1", "key2", "key3", "k", "probefunc"], described)

    def names_merge(self):
        """Two stacks that differ only in offsets are one element here; no key is a run-time address."""
        script = "syscall:::entry { @[ustack()] = count(); @u[umod(uregs[R_PC]), usym(uregs[R_PC])] = count(); @all = count(); }"
        lines = self.lines(script, "-q", ["ls", "/"]).of("agg")
        stacks = [(tuple(line["keys"]), line["value"]) for line in lines if line["agg"] == ""]
        (total,) = [line["value"] for line in lines if line["agg"] == "all"]
        check(len(dict(stacks)) == len(stacks) and sum(value for _, value in stacks) == total, stacks)
        check(not any(re.search(r"0x[0-9a-f]{9,}", key) for keys, _ in stacks for key in keys), "an address in", stacks)
        check(any(re.search(r"\bls[`+].*;.*libc\.so\.6`", keys[0]) for keys, _ in stacks), "no stack from ls to libc:", stacks[:3])

    def numbers(self):
        """64-bit limits, as values, keys and aggregated."""
        lines = self.lines("BEGIN { " + "".join(f"trace((int64_t){constant(n)}); @s[(int64_t){constant(n)}] = sum({constant(n)}); @d = stddev({constant(n)}); " for n in INT64) + "exit(0); }")
        check([line["args"] for line in lines.of("record")] == [[exact(n)] for n in INT64], lines.of("record"))
        sums = {line["keys"][0]: line["value"] for line in lines.of("agg") if line["agg"] == "s"}
        check(sums == {str(n): exact(n) for n in INT64}, sums)
        (deviation,) = [line for line in lines.of("agg") if line["agg"] == "d"]
        check(deviation["sumsq"] == str(sum(n * n for n in INT64)) and int(deviation["sum"]) == sum(INT64), deviation)
        quantize = self.lines("BEGIN { " + "".join(f"@ = quantize({constant(n)}); " for n in INT64) + "exit(0); }").of("agg")[0]
        check(quantize["bucket"][0] == str(-2**62) and quantize["bucket"][-1] == str(2**62), quantize)

    def texts(self):
        """Bytes that are not UTF-8, escapes, and texts that look like our syntax."""
        octal = "".join(f"\\{byte:03o}" for byte in BYTES)
        lines = self.lines(f'BEGIN {{ trace("{octal}"); @["{octal}"] = count(); exit(0); }}', "-q -x strsize=512")
        for line, text in ((lines.of("record")[0], lines.of("record")[0]["args"][0]), (lines.of("agg")[0], lines.of("agg")[0]["keys"][0])):
            check(bytes_of(line, text) == BYTES, line)
        for text in ("plain", "\\\\x41", "é ✓ 𝄞", "\\\"quoted\\\"\\\\", "\\n\\t\\001\\177"):
            line = self.lines(f'BEGIN {{ trace("{text}"); exit(0); }}').of("record")[0]
            wanted = re.sub(r"\\(\\|n|t|\"|\d{3})", lambda m: {"\\": "\\", "n": "\n", "t": "\t", '"': '"'}.get(m[1]) or chr(int(m[1], 8)), text)
            check(bytes_of(line, line["text"]) == wanted.encode(), line)
            check(line.get("esc", False) == ("x41" in text), line)
        _, output, _ = self.sonde.run("jsonl", 'BEGIN { trace("\\177"); exit(0); }', "-q")
        check(b"\\u007f" in output and b"\x7f" not in output, "a terminal's DEL", output)

    def long_lines(self):
        """The line of a record has at most 16 KiB; the ledger says if it was cut."""
        script = 'BEGIN { self->a = "' + "x" * 30000 + '"; printf("%s%s", self->a, "\\377"); exit(0); }'
        lines = self.lines(script, "-q -x strsize=40000")
        check(max(map(len, lines.text.splitlines())) <= 16 * 1024 and lines.all[-1]["truncated"] == 1, lines.all[-1])
        check(len(lines.of("record")[0]["args"][0]) >= 2000, "too much was cut")
        keys = "".join(f'@k["{"x" * 9000}{n}", "few", "{escape * 9000}"] = count(); ' for n, escape in ((1, "y"), (2, "y"), (3, "\\377")))
        lines = self.lines("BEGIN { " + keys + '@one["few"] = count(); exit(0); }', "-q -x strsize=40000")
        check(max(map(len, lines.text.splitlines())) <= 16 * 1024 and lines.all[-1]["truncated"] == 2, lines.all[-1])
        found = {line["keys"][-1][0]: line for line in lines.of("agg") if line["agg"] == "k"}
        check(found["y"]["value"] == 2 and found["\\"]["value"] == 1, "elements whose keys become equal are not one", found)
        check(all(line["keys"][1] == "few" and len(line["keys"][0]) == 4096 for line in found.values()), "another cut", found)

    def start(self):
        import hashlib
        script = 'BEGIN { @lat[execname] = lquantize(1, 0, 10, 2); exit(0); }'
        start = self.lines(script, "-q -x host=web1 --labels=role=db,dc=fra1").all[0]
        check(start["host"] == "web1" and start["labels"] == ["role=db", "dc=fra1"], start)
        check(start["script"] == hashlib.sha256(script.encode()).hexdigest(), start)
        check(start["aggs"] == [{"agg": "lat", "func": "lquantize", "params": [0, 10, 2], "keys": [{"name": "execname", "type": "string"}]}], start)
        for labels in ("run=1", "a", "1a=b", "__x=1"):
            status, output, messages = self.sonde.run("jsonl", script, f"-x labels={labels}")
            check(status == 1 and "labels:" in messages and not output, labels, "is accepted", messages)


class Csv:
    def __init__(self, sonde):
        self.sonde = sonde

    def rows(self, script, options="-q", program=None, status=0):
        got, output, messages = self.sonde.run("csv", script, options, program)
        check(got == status, "status", got, messages)
        rows = list(csv.DictReader(io.StringIO(output.decode("utf-8"), newline=""), strict=True))
        check(all(None not in row and None not in row.values() for row in rows), "a row has another number of fields", rows)
        return rows

    def actions(self):
        for name, (options, script, program) in ACTIONS.items():
            rows = self.rows(script, "-q " + options, program, 7 if name == "exit" else 0)
            actions = [row["action"] for row in rows if row["probe"]]
            check(name in NO_LINE or name in actions, name, "is not among", actions)
            check(all(bool(row["func"]) != bool(row["probe"]) for row in rows), "a row is of both kinds, or none", rows)

    def aggregates(self):
        for name, (more, fields) in AGGREGATES.items():
            values = "".join(f"@a[\"k\", 1] = {name}({'' if more is None else str(value) + more}); " for value in (-6, 0, 9))
            rows = self.rows("BEGIN { " + values + "exit(0); }")
            check(all((row["func"], row["key0"], row["key1"], row["agg"]) == (name, "k", "1", "a") for row in rows), rows)
            if "bucket" in fields:
                check([(int(row["bucket"]), int(row["n"])) for row in rows] == list(zip(fields["bucket"], fields["n"])), rows)
            else:
                check({field: rows[0][field] for field in fields} == {field: str(value) for field, value in fields.items()}, rows)

    def texts(self):
        for text in ('a,b', '\\"q\\"', 'two\\nlines', ' blanks ', 'é', ''):
            row = self.rows(f'BEGIN {{ trace("{text}"); @["{text}"] = count(); @two["x", 1] = count(); exit(0); }}')
            wanted = text.replace('\\"', '"').replace("\\n", "\n")
            check(row[0]["text"] == wanted and row[1]["key0"] == wanted and row[1]["key1"] == "", row)
        for text in ("one\\rline", "two\\nlines", "a,b"):  # RFC 4180: quoted, even a return alone
            _, output, _ = self.sonde.run("csv", f'BEGIN {{ trace("{text}"); exit(0); }}', "-q")
            check(f'"{text}"'.encode().decode("unicode_escape").encode() in output, text, output)
        octal = "".join(f"\\{byte:03o}" for byte in BYTES)
        row = self.rows(f'BEGIN {{ trace("{octal}"); exit(0); }}', "-q -x strsize=512")[0]
        check(row["esc"] == "1" and bytes_of(row, row["text"]) == BYTES, row)
        numbers = self.rows("BEGIN { " + "".join(f"@s[(int64_t){constant(n)}] = sum({constant(n)}); " for n in INT64) + "exit(0); }")
        check({row["key0"]: row["value"] for row in numbers} == {str(n): str(n) for n in INT64}, numbers)


class Stacks:
    """folded and svg"""
    SCRIPT = "syscall:::entry { @[ustack(), execname, probefunc] = count(); @all = count(); @none[ustack()] = max(1); } END { printa(@all); }"

    def __init__(self, sonde):
        self.sonde = sonde

    def folded(self, script, program=None, options="-q"):
        status, output, messages = self.sonde.run("folded", script, options, program)
        check(status == 0, "status", status, messages)
        counts = collections.Counter()
        for line in output.decode("utf-8").splitlines():
            stack, _, count = line.rpartition(" ")
            check(stack and count.isdigit() and int(count) > 0 and all(stack.split(";")), "no folded stack:", line)
            check(stack not in counts, "twice:", line)
            counts[stack] = int(count)
        return counts, messages

    def aggregated(self):
        """The same counts as the aggregation, from the root, with the other keys below it."""
        script = self.SCRIPT.replace("printa(@all)", 'system("echo %d >&2", n)').replace("@all = count()", "n++")
        counts, messages = self.folded(script, ["ls", "/"], "-q -w")
        check(sum(counts.values()) == int(messages.split()[-1]), sum(counts.values()), messages)
        check(all(stack.startswith("ls;") for stack in counts), counts)
        check(any(re.search(r";ls[`+].*;libc\.so\.6`", stack) for stack in counts), "no stack from ls to libc", counts)

    def pictures(self):
        """printa() in a loop: only the last one since each clear() counts."""
        program = ["sh", "-c", "'echo a; echo b; echo c'"]
        write = "syscall::write:entry { @[ustack(1)] = count(); printa(@); %s }"
        for more in ("", "clear(@);", "trunc(@);"):
            counts, _ = self.folded(write % more, program)
            check(sum(counts.values()) == 3, more, counts)
        counts, _ = self.folded("syscall::write:entry { ustack(); trace(1); }", program)
        check(sum(counts.values()) == 3 and all(stack.startswith("sh;") for stack in counts), counts)

    def nothing(self):
        for form in ("folded", "svg"):
            status, _, messages = self.sonde.run(form, "BEGIN { @ = count(); exit(0); }", "-q")
            check(status == 0 and "no stacks were counted" in messages, messages)

    def svg(self):
        script = 'BEGIN { @[stack(), "<a&\\"b>;c", "d"] = count(); @[stack(), "<a&\\"b>;c", "e"] = sum(2); exit(0); }'
        script = script.replace("sum(2)", "count()")
        frames = self.frames(script, None)
        check([frame[0] for frame in frames] == ["all", '<a&"b>:c', "d", "e"], frames)
        check([frame[1:4] for frame in frames] == [(0, 2, 0), (0, 2, 1), (0, 1, 2), (1, 1, 2)], frames)
        frames = self.frames("syscall:::entry { @[ustack()] = count(); }", ["ls", "/"])
        check(len(frames) > 20 and frames[0][0] == "all", frames[:3])
        for name, x, width, depth in frames[1:]:
            below = [one for one in frames if one[3] == depth - 1 and one[1] <= x and x + width <= one[1] + one[2]]
            check(len(below) == 1, name, "does not stand on one frame")
        long = 'BEGIN { @[stack(), "' + "w" * 200 + '"] = sum(7); @[stack(), "' + "v" * 200 + '"] = sum(3); exit(0); }'
        root = xml.etree.ElementTree.fromstring(self.sonde.run("svg", long, "-q")[1])
        for group in root.iterfind(".//{http://www.w3.org/2000/svg}g[@class='f']"):
            rect, text = (group.find("{http://www.w3.org/2000/svg}" + name) for name in ("rect", "text"))
            end = float(text.get("x")) + len(text.text or "") * WIDEST
            check(end <= float(rect.get("x")) + float(rect.get("width")), text.text, "is wider than its frame")
        for options, title in (("-q", script), ("-q -x title=A<&B", "A<&B")):
            root = xml.etree.ElementTree.fromstring(self.sonde.run("svg", script, options)[1])
            found = root.find("{http://www.w3.org/2000/svg}title").text
            check(found == title, "the title is", found)
        root = xml.etree.ElementTree.fromstring(self.sonde.run("svg", "syscall::write:entry { @[ustack(2)] = count(); }", "-q", ["echo", "x"])[1])
        heading = root.find(".//{http://www.w3.org/2000/svg}text[@class='t']").text
        check(heading == "echo x: syscall::write:entry { @[ustack(2)] = count(); }", heading)
        outside = [value for one in root.iter() for key, value in one.attrib.items() if "://" in value or key.endswith("href")]
        check(not outside, "something from outside:", outside)
        first = self.sonde.run("svg", script, "-q")[1]
        check(first == self.sonde.run("svg", script, "-q")[1], "two pictures of the same differ")

    def narrow(self):
        """A frame of less than a twentieth of a pixel is left out, and the frames of the others stand where they stand without that."""
        script = 'BEGIN { @[stack(), "wide"] = sum(%d); @[stack(), "a"] = sum(1); exit(0); }'
        check([frame[0] for frame in self.frames(script % 23998, None)] == ["all", "a", "wide"], "a twentieth of a pixel")
        check([frame[0] for frame in self.frames(script % 24001, None)] == ["all", "wide"], "less than a twentieth")

    def zoom(self):
        """A click on a frame makes it as wide as the picture, hides what is beside it, and keeps what it stands on; one on `all` shows everything."""
        if shutil.which("node") is None:
            print("svg: nothing clicks the picture: there is no nodejs")
            return
        script = 'BEGIN { @[stack(), "f", "wide"] = sum(6); @[stack(), "f", "m`narrow"] = sum(2); @[stack(), "g", "h"] = sum(4); exit(0); }'
        output = self.sonde.run("svg", script, "-q")[1]
        space, root = "{http://www.w3.org/2000/svg}", xml.etree.ElementTree.fromstring(output)
        groups = [{"data": {field: group.get("data-" + field) for field in "xwdn"}, "rect": dict(group.find(space + "rect").attrib), "text": dict(group.find(space + "text").attrib)}
                  for group in root.iterfind(f".//{space}g[@class='f']")]
        run = PAGE % (json.dumps(groups), json.dumps(root.find(space + "script").text))
        done = subprocess.run(["node", "-e", run], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        check(done.returncode == 0, done.stderr)
        seen, said = json.loads(done.stdout)
        every = {"all": (0, 1200), "f": (0, 800), "m`narrow": (0, 200), "wide": (200, 600), "g": (800, 400), "h": (800, 400)}
        wanted = {"f": {"all": (0, 1200, "up"), "f": (0, 1200), "m`narrow": (0, 300), "wide": (300, 900)},
                  "m`narrow": {"all": (0, 1200, "up"), "f": (0, 1200, "up"), "m`narrow": (0, 1200)},
                  "h": {"all": (0, 1200, "up"), "g": (0, 1200, "up"), "h": (0, 1200)}, "all": every}
        for name, frames in wanted.items():
            found = {one["n"]: tuple(one["place"]) for one in seen[name]}
            check(found == frames, f"a click on {name}: found {found}, wanted {frames}")
        check({one["n"]: one["label"] for one in seen["all"]} == {name: name for name in every}, "labels", seen["all"])
        matches = {"narrow": ("16.67%", ["m`narrow"]), "F": ("66.67%", ["f"]), "f": ("66.67%", ["f"]), "f|narrow": ("66.67%", ["f", "m`narrow"]), "[": ("0.00%", []), "nothing": ("0.00%", [])}
        for text, (share, names) in matches.items():
            check(said[text] == [f"{text} matches {share} of 12 in all", names], "a search says", said[text])
        check(said["prevented"] and said["escape"] == ["12 in all", 0], "keys", said)
        check(said["over"]["m`narrow"] == "m`narrow: 2, 16.67%, 100.00% of m`narrow" and said["over"]["all"] == "all: 12, 100.00%", "the line", said["over"])
        check(said["of_f"]["m`narrow"] == "f: 8, 66.67%", "what stands below the picture's widest frame is no part of it", said["of_f"])
        check(said["resized"] == [{"height": 100, "width": 600, "viewBox": "0 0 600 100", "transform": "translate(0,-10)"}, 600], "a window of 600 pixels", said["resized"])

    def frames(self, script, program):
        """(name, x, width, depth) of each frame, in counts; checks the rectangles."""
        status, output, messages = self.sonde.run("svg", script, "-q", program)
        check(status == 0, "status", status, messages)
        root = xml.etree.ElementTree.fromstring(output)
        space = "{http://www.w3.org/2000/svg}"
        frames = []
        for group in root.iterfind(f".//{space}g[@class='f']"):
            x, width, depth = (int(group.get("data-" + field)) for field in "xwd")
            frames.append((group.get("data-n"), x, width, depth))
            rect, total = group.find(space + "rect"), frames[0][2]
            check(abs(float(rect.get("width")) - 1200 * width / total) < 0.02 and abs(float(rect.get("x")) - 1200 * x / total) < 0.02, frames[-1])
            check(group.find(space + "title").text.startswith(f"{frames[-1][0]}: {width}, "), frames[-1])
        check(root.find(space + "script").text.count("{") == root.find(space + "script").text.count("}") > 1, "no script")
        return frames


class Chrome:
    def __init__(self, sonde):
        self.sonde = sonde

    def timeline(self, script, options="-q", program=None, status=0, is_whole=True):
        got, output, self.messages = self.sonde.run("chrome", script, options, program)
        check(got == status, "status", got, self.messages)
        timeline = trace_events.Timeline(output.decode("utf-8"), is_whole)
        check(not is_whole or (timeline.moments("sonde")[0] is timeline.events[0] and timeline.moments("end")[0] is timeline.events[-1]), "the ends are", timeline.events)
        return timeline

    def actions(self):
        """Each action is an argument of its event, and an event without one is there unless it is quiet."""
        for name, (options, script, program) in ACTIONS.items():
            for quiet in ("", "-q"):
                timeline = self.timeline(script, f"{quiet} {options}", program, 7 if name == "exit" else 0, is_whole=name not in PART)
                events = [event for event in timeline.events if "cat" in event]
                keys = {key for event in events for key in event["args"]}
                traced = name == "trace" or name in NAMES  # named by what the script says
                check(name in NO_LINE or name in keys or (traced and any(key.startswith(name + "(") or key == "trace" for key in keys)), name, "is not among", keys)
                check(bool(quiet) <= all(event["args"] for event in events), "an event without arguments, though it is quiet")

    def values(self):
        """What the script calls a value is its key; a constant and a long text have the action's."""
        script = """
BEGIN { this->mine = 7; self->own = "text"; trace(this->mine); trace(self->own); trace(1); trace(2); trace("x"); printf("%s is %d, %s\\n", execname, this->mine + 1, "x"); }
BEGIN { trace(execname); exit(0); }"""
        event = self.timeline(script).moments("dtrace:BEGIN")
        check(len(event) == 1, "the clauses of a firing are", event)
        check(event[0]["args"] == {"mine": 7, "own": "text", "trace": 1, "trace 2": 2, "trace 3": "x", "printf": "sonde is 8, x", "execname": "sonde", "this->mine + 1": 8, "execname 2": "sonde"},
              event[0]["args"])
        shown = self.timeline('BEGIN { trace("\\\\x41 \\377"); exit(0); }').moments("dtrace:BEGIN")[0]
        check(shown["args"] == {"trace": "\\x41 \\xff"} and "esc" not in shown, "for people", shown)
        big = self.timeline("BEGIN { trace((uint64_t)18446744073709551615); exit(0); }").moments("dtrace:BEGIN")[0]
        check(list(big["args"].values()) == ["18446744073709551615"], big)
        _, script, _ = ACTIONS["print"]
        check(self.timeline(script).moments("dtrace:BEGIN")[0]["args"]["print"]["in"][1] == {"c": 120, "deep": "9007199254740993"}, "print()")
        stack = self.timeline(ACTIONS["ustack"][1], program=["echo", "x"]).all_slices()
        check(any("libc.so.6`" in one.args["ustack()"][0] for one in stack), "frames")

    def aggregates(self):
        for name, (more, fields) in AGGREGATES.items():
            values = "".join(f"@a[\"k\", 1] = {name}({'' if more is None else str(value) + more}); " for value in (-6, 0, 9))
            timeline = self.timeline("BEGIN { " + values + "exit(0); }")
            counters = timeline.counters["@a k, 1"]
            check(counters == ([] if "bucket" in fields else [{name: fields["value"]}]), counters)
            check(("leaves out @a" in self.messages) == ("bucket" in fields), self.messages)
        self.timeline("BEGIN { @[stack()] = count(); @b[stack(), 1] = count(); exit(0); }")
        check(self.messages.count("leaves out @:") == self.messages.count("leaves out @b:") == 1, self.messages)
        normal = self.timeline("BEGIN { @ = sum(5000); normalize(@, 1000); exit(0); }").counters
        check(normal["@"] == [{"sum": 5}], normal)
        often = self.timeline('tick-100ms /++n <= 8/ { @ticks = count(); } tick-100ms /n == 9/ { exit(0); }', "-q --interval=200ms").counters["@ticks"]
        check(len(often) > 2 and sum(one["count"] for one in often) == 8, "at an interval", often)
        shown = self.timeline("BEGIN { @a = count(); printa(@a); @a = count(); printa(@a); exit(0); }").counters["@a"]
        check(shown == [{"count": 1}, {"count": 2}], "printa()", shown)

    def slices(self):
        """Entries and returns nest; a return alone is an instant, and a run of those says what is missing."""
        timeline = self.timeline("syscall:::entry, syscall:::return { trace(probefunc); }", program=["echo", "x"])
        calls = [one for one in timeline.all_slices() if one.name == "write"]
        check(len(calls) == 1 and calls[0].end > calls[0].begin and calls[0].args["probefunc"] == "write", calls)
        check(timeline.moments("exit_group") and timeline.names[calls[0].thread] == timeline.processes[calls[0].thread[0]] == "echo", timeline.names)
        timeline = self.timeline("syscall::write:return { trace(arg1); }", program=["echo", "x"])
        check(not timeline.slices and timeline.moments("write returns")[0]["args"] == {"arg1": 2}, timeline.instants)
        check("no slices, because no clause traces an entry" in self.messages, self.messages)
        timeline = self.timeline("syscall::exit_group:entry, syscall::write:entry { }", "", ["echo", "x"])
        check([one.args for one in timeline.slices] == [{"no return": "the next call has begun"}], timeline.events)

    def speculations(self):
        """What is committed late goes to a track of its own, if something later is on the thread's."""
        script = """
syscall::write:entry { self->s = speculation(); speculate(self->s); trace(arg2); }
syscall::write:return { speculate(self->s); trace(arg1); }
%s
syscall::exit_group:entry { commit(self->s); }"""
        late = self.timeline(script % "syscall::write:return { trace(2); }", program=["echo", "abc"])
        late_calls = [one for one in late.slices if one.name == "write"]
        check(len(late_calls) == 1 and late_calls[0].args == {"arg2": 4, "arg1": 4} and "committed late" in late.names[late_calls[0].thread], late.events)
        in_time = self.timeline(script % "", program=["echo", "abc"])
        check([one.thread[0] == one.thread[1] for one in in_time.slices if one.name == "write"] == [True], in_time.events)

        slow = re.search(r"longer than 2 ms.*?\n\n(.*?)\n\n", (ROOT / "docs/output.md").read_text(), re.S)[1]
        slept = self.timeline(slow.replace("2000000", "90000000"), "-q -x nspec=64", ["sh", "-c", "'sleep 0.1; true'"])
        calls = [(one.name, one.args["arg1"]) for one in slept.slices]
        check(("clock_nanosleep", 0) in calls and {name for name, _ in calls} <= {"clock_nanosleep", "wait4"}, "slow calls", slept.events)

    def losses(self):
        faults = self.timeline("BEGIN { trace(*(int *)8); } BEGIN { exit(0); }")
        check(faults.moments("error: invalid address (0x8)")[0]["args"]["probe"] == "dtrace:::BEGIN", faults.events)
        drops = self.timeline("BEGIN { speculation(); speculation(); exit(0); }")
        check(drops.moments("1 failed speculation (no speculative buffer available)")[0]["args"] == {"count": 1}, drops.events)

    def files(self):
        """A second run replaces the first; a file of freopen() can be read; -ff is refused."""
        with tempfile.TemporaryDirectory(prefix="sonde-formats-") as folder:
            run = lambda form, *more: subprocess.run([self.sonde.binary, "-q", f"--format={form}", "-o", f"{folder}/out", *more], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False, text=True)
            for form, reads in (("chrome", trace_events.Timeline), ("svg", xml.etree.ElementTree.fromstring)):
                pathlib.Path(folder, "out").write_text("what was there")
                for _ in range(2):
                    done = run(form, "-n", "BEGIN { trace(1); @[stack()] = count(); exit(0); }")
                    check(done.returncode == 0, done.stderr)
                reads(pathlib.Path(folder, "out").read_text())
            script = f'BEGIN {{ trace(1); freopen("{folder}/a"); trace(2); freopen(""); trace(3); freopen("{folder}/a"); trace(4); freopen(""); exit(0); }} END {{ trace(5); }}'
            done = run("chrome", "-w", "-n", script)
            check(done.returncode == 0, done.stderr)
            first, other = (trace_events.Timeline(pathlib.Path(folder, name).read_text(), is_whole=name == "out") for name in ("out", "a"))
            seen = [[event["args"][key] for event in one.instants for key in event["args"] if key.startswith("trace")] for one in (first, other)]
            check(seen == [[1, 3, 5], [2, 4]], seen)
            done = run("chrome", "-ff", "true")
            check(done.returncode == 1 and "one file has all threads" in done.stderr, done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "build/bin/sonde")
    parser.add_argument("-k", metavar="TEXT", default="", help="only tests whose name contains TEXT")
    arguments = parser.parse_args()
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        print("skipped: there is no python3-jsonschema")
        return SKIPPED
    if shutil.which("jq") is None:
        print("skipped: there is no jq")
        return SKIPPED
    sonde = Sonde(arguments.binary.resolve())
    jsonl = Jsonl(sonde)
    table, stacks, chrome = Csv(sonde), Stacks(sonde), Chrome(sonde)
    tests = [jsonl.actions, jsonl.values, jsonl.firings, jsonl.faults, jsonl.aggregates, jsonl.intervals, jsonl.names_merge, jsonl.numbers, jsonl.texts,
             jsonl.long_lines, jsonl.start, table.actions, table.aggregates, table.texts, stacks.aggregated, stacks.pictures, stacks.nothing,
             stacks.svg, stacks.narrow, stacks.zoom, chrome.actions, chrome.values, chrome.aggregates, chrome.slices, chrome.speculations, chrome.losses, chrome.files]
    wrong = 0
    ran = [test for test in tests if arguments.k in test.__qualname__]
    for test in ran:
        try:
            test()
        except (Failed, subprocess.TimeoutExpired, ValueError, KeyError, IndexError, csv.Error, trace_events.Wrong, xml.etree.ElementTree.ParseError) as failure:
            wrong += 1
            print(f"{test.__qualname__}: {type(failure).__name__}: {str(failure)[:2000]}")
    print(f"{len(ran)} tests, {wrong} failed")
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
