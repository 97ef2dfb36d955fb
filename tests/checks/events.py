#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Proves that docs/events.md is what the tables of the code say: each probe of the whole machine, on each kernel, with each source.

usage: events.py [--update]     --update writes the page

A provider with a table registers it by register_kernel_provider() or register_event_provider(). This check compiles the
providers with its own two functions, which print the rows. So a new provider, or a new row, is a row of the page. A
provider without such a table has a row in OTHERS, or its name in OF_PROGRAMS.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/events.md"
KERNELS = ((5, 10), (6, 1), (6, 12), (6, 18), (7, 2))
RETURNS = "KERNEL_RETURN"
RETHOOK = (5, 18)  # which the module needs for returns of the kernel's functions
LEAST = {"kmod": (5, 10), "bpf": (6, 1), "ptrace": (5, 10)}  # of each source; docs/kernel-module.md, docs/stock-kernel.md
SHOWN = {"kmod": "M", "bpf": "B", "ptrace": "P"}
OF_PROGRAMS = {"dtrace", "usdt", "plockstat", "tcl", "mysql", "javascript", "pid"}
# Those without a table: probe, by what, arguments, taps of which one is needed
OTHERS = {
    "syscall": [("NAME:entry", "the entry of a system call", "the call's", ["SYSCALL_ENTRY"]), ("NAME:return", "its return", "result, errno", ["SYSCALL_RETURN"])],
    "profile": [("profile-N", "a clock of each CPU; with ptrace, of the targets' processor time", "pc in the kernel, pc in the program", ["PROFILE"]),
                ("tick-N", "a clock of sonde", "", [])],
    "rawtp": [("NAME", "the tracepoint NAME", "the tracepoint's", ["TRACEPOINT"])],
    "sdt": [("SUBSYSTEM::NAME", "the tracepoint NAME", "the tracepoint's", ["TRACEPOINT"])],
    "fbt": [("FUNCTION:entry", "the function FUNCTION", "the function's", ["KERNEL_ENTRY"]), ("FUNCTION:return", "its return", "offset, result", ["KERNEL_RETURN"])],
    "cpc": [("EVENT-MODE-COUNT", "a counter of each CPU: the kernel's own, or the processor's", "pc in the kernel, pc in the program", ["COUNTER"])],
}
BY_KERNEL = "KERNEL_ENTRY"

HEAD = r"""
#include <cstdio>
#include <string>
#include "providers/event_probes.h"
#include "providers/kernel_probes.h"
#include "runtime/framework/provider.h"
#include "runtime/source/capabilities.h"
extern "C" int dtrace_unregister(dtrace_provider_id_t) { return 0; }
namespace sonde {
static void row(const char* kind, const char* provider, const char* name, const std::string& rest) {
  std::printf("%s\t%s\t%s\t%s\n", kind, provider, name, rest.c_str());
}
static std::string type_of(const char* native, const char* translated) {
  return *translated != '\0' ? translated : native;
}
static const char* type_of_role(sonde_tap_kind kind, int argument) {
#define SONDE_ROW(of, role, first, count, type, meaning) \
  if (kind == SONDE_TAP_##of && argument >= first && argument < first + count) return type;
  SONDE_TAP_KINDS(SONDE_TAP_ROLES, SONDE_ROW)
  return "?";
}
int register_kernel_provider(KernelProvider& provider) {
  for (const KernelProbeRow& one : provider.probes) {
    std::string arguments, functions;
    for (const KernelArgument& argument : one.arguments)
      arguments += (arguments.empty() ? "" : "|") + (argument.raw == kNoArgument ? std::string("0") : type_of(argument.native, argument.translated));
    for (const char* function : one.functions) functions += (functions.empty() ? "" : "|") + std::string(function);
    std::string by = one.tracepoint == nullptr ? "" : one.tracepoint;
    if (one.also != nullptr) by += "|" + std::string(one.also);
    row("kernel", provider.name, one.name, by + "\t" + std::to_string(one.since) + "\t" + functions + "\t" + arguments + "\t" + std::to_string(one.counted));
  }
  for (const RefusedProbe& one : provider.refused) row("refused", provider.name, one.name, one.message);
  return 0;
}
int register_event_provider(EventProvider& provider) {
  for (const EventProbe& one : provider.probes) {
    std::string arguments;
    for (int n = 0; n < one.argument_count; n++)
      arguments += (n == 0 ? "" : "|") + type_of(one.arguments[n].native != nullptr ? one.arguments[n].native : type_of_role(one.tap, one.arguments[n].role), one.arguments[n].translated);
    row("event", provider.name, one.name, std::to_string(one.tap) + "\t" + arguments);
  }
  for (const RefusedProbe& one : provider.refused) row("refused", provider.name, one.name, one.message);
  return 0;
}
}  // namespace sonde
"""

TAIL = r"""
int main() {
  constexpr const char* kTaps[][2] = {
#define SONDE_TAP_NAME(name, selector, when, ...) {#name, when},
      SONDE_TAP_KINDS(SONDE_TAP_NAME, SONDE_NO_ROLE)};
  for (const sonde::SourceRow& source : sonde::kSourceRows)
    for (unsigned tap = 0; tap < SONDE_TAP_KIND_COUNT; tap++)
      if (source.can.taps.contains(static_cast<sonde_tap_kind>(tap)))
        std::printf("source\t%s\t%s\t%u\t%s\n", std::string(source.name).c_str(), kTaps[tap][0], tap, kTaps[tap][1]);
"""

INTRODUCTION = """# Events of the whole machine

Which probe fires on which kernel, with which [source](architecture.md#processes), by what, and with which `args[]`. Made from the tables of the providers by `tests/checks/events.py --update`; the tests
compare both.

**M**: the [kernel module](kernel-module.md). **B**: eBPF, on a [stock kernel](stock-kernel.md). **P**: ptrace, of the traced processes only. In parentheses: by a function of the kernel, which takes the module,
or fprobe or kprobes, and a kernel that lets tracers into that function ([fbt](providers/fbt.md)). **-**: refused, and the message says why. The page of each provider says when its probes fire.
"""


def tables():
    """What the providers register: [kind, provider, probe, more...] each."""
    files = {path.parent.name: path for path in sorted((ROOT / "providers").glob("*/*_provider.cpp"))
             if re.search(r"\bregister_(?:kernel|event)_provider\(", path.read_text(encoding="utf-8"))}
    calls = "".join(f"  sonde_{name}_register();\n" for name in files)
    declared = "".join(f'extern "C" int sonde_{name}_register(void);\n' for name in files)
    with tempfile.TemporaryDirectory() as folder:
        text, program = pathlib.Path(folder, "tables.cpp"), pathlib.Path(folder, "tables")
        text.write_text(HEAD + declared + TAIL + calls + "}\n", encoding="utf-8")
        compiler = shlex.split(os.environ.get("CXX", "c++"))
        subprocess.run([*compiler, "-std=c++20", "-O0", "-w", "-I", ROOT, "-o", program, text, *files.values()], check=True, timeout=600)
        out = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout
    return [line.split("\t") for line in out.splitlines()]


def registered():
    """The names of all providers, in their order."""
    text = (ROOT / "providers/registry.h").read_text(encoding="utf-8")
    return re.findall(r"\bX\((\w+)\)", re.search(r"#define SONDE_PROVIDERS\(X\)(.*?)\n\n", text, re.S).group(1))


def version(number):
    return f"{number >> 16}.{number >> 8 & 0xff}"


def cell(kernel, sources, by_function):
    """`sources`: those that have the tap."""
    letters = "".join(SHOWN[one] for one in SHOWN if one in sources and kernel >= LEAST[one])
    return (f"({letters})" if by_function and letters else letters) or "-"


def code(texts, joint):
    return joint.join(f"`{one}`" for one in texts)


def rows_of(provider, table, sources):
    """[probe, by, arguments, a cell for each kernel...] each."""
    def having(tap):
        return {source for source, taps in sources.items() if any(tap in (number, name) for number, (name, _when) in taps.items())}
    for name, by, arguments, taps in OTHERS.get(provider, []):
        able = set(SHOWN) if taps == [] else having(taps[0])
        by_function = taps in ([BY_KERNEL], [RETURNS])
        yield [f"`{name}`", by, arguments, *("-" if taps == [RETURNS] and kernel < RETHOOK else cell(kernel, able, by_function) for kernel in KERNELS)]
    for kind, _provider, name, *more in table:
        if kind == "kernel":
            tracepoints, since, functions, arguments, counted = more
            since, able = int(since), having("TRACEPOINT")
            first = (since >> 16, since >> 8 & 0xff)
            cells = [cell(kernel, able, False) if tracepoints and kernel >= first else cell(kernel, having(BY_KERNEL), True) if functions else "-" for kernel in KERNELS]
            by = code(tracepoints.split("|"), ", ") if tracepoints else ""
            if tracepoints and first > LEAST["bpf"]:
                by += f" from Linux {version(since)}"
            if int(counted) >= 0:
                by, cells = "a counter of the kernel for each CPU", [cell(kernel, having("COUNTER"), False) for kernel in KERNELS]
            if functions:
                by += ("; before it " if by else "") + f"the function {code(functions.split('|'), ', ')}"
        elif kind == "event":
            tap, arguments = more
            able = having(tap)
            by, cells = next(taps[tap][1] for taps in sources.values() if tap in taps), [cell(kernel, able, False) for kernel in KERNELS]
        else:
            continue
        yield [f"`{name}`", by, code(arguments.split("|"), ", ") if arguments else "", *cells]


def page():
    table = tables()
    sources = {name: {} for name in SHOWN}
    for _kind, source, tap, number, when in (row for row in table if row[0] == "source"):
        sources[source][number] = (tap, when)
    text = [INTRODUCTION]
    known = {row[1] for row in table} | OTHERS.keys()
    for provider in registered():
        if provider in OF_PROGRAMS:
            continue
        if provider not in known:
            sys.exit(f"events: the provider {provider} has no table, and no row in OTHERS or OF_PROGRAMS")
        own = [row for row in table if row[1] == provider and row[0] != "source"]
        text.append(f"## {provider}\n\n| probe | by | `args[]` | " + " | ".join(f"{a}.{b}" for a, b in KERNELS) + " |\n" + "|---" * (3 + len(KERNELS)) + "|")
        text[-1] += "".join("\n| " + " | ".join(one or " " for one in row) + " |" for row in rows_of(provider, own, sources)) + "\n"
        refused = [row for row in own if row[0] == "refused"]
        if refused:
            text.append("Refused:\n\n" + "\n".join(f"* {row[3]}" for row in sorted(refused)) + "\n")
    return "\n".join(text)


def main():
    made = page()
    if "--update" in sys.argv[1:]:
        PAGE.write_text(made, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
        sys.exit("events: docs/events.md is not what the tables say; run tests/checks/events.py --update, and look at what changes")
    print(f"events: {made.count(chr(10) + '| `')} probes")


if __name__ == "__main__":
    main()
