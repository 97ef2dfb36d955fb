#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds one of each thing that grows - a function of D, an aggregating function, an option, a captured variable, an
event, a provider, a printer - to a copy of the tree, builds sonde and the kernel module from it, uses each, and prints
how many files each changes. More than its limit, or an addition that does not work, is a failure. Documents and tests
are not counted; new files are.

    one_place.py [--count]       --count: without a build, only checks that each addition finds its places

If mounting is allowed, the copy is built at the path of the tree, in a mount namespace of its own, so that ccache has
all unchanged files.
"""

import argparse
import dataclasses
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mutants  # functions to make a copy and to build it at the path of the tree

ROOT = mutants.ROOT
COPY = ROOT / "build/one_place"


@dataclasses.dataclass
class Addition:
    what: str
    bound: int  # files
    before: dict  # {file: [(line, text to insert before it)]}; the line occurs once in the file
    new: dict  # {file: text}
    command: list  # of sonde
    prints: str

    @property
    def files(self):
        return sorted({*self.before, *self.new})


ADDITIONS = [
    Addition("a function of D", 3,
             {"runtime/lang/functions.h": [('    {"speculate",', '    {"sonde_double", "int64_t(int64_t)", Runs::Body, "twice the number"},\n')],
              "runtime/body/subroutines.h": [("  X(usym)\n", "  X(sonde_double) \\\n")],
              "runtime/body/numbers.cpp": [("uint64_t sonde_fn_htons(", "uint64_t sonde_fn_sonde_double(BodyContext*, uint32_t, const uint64_t* argv) { return 2 * argv[0]; }\n")]},
             {}, ["-qn", 'BEGIN { printf("%d", sonde_double(21)); exit(0); }'], "42"),
    Addition("an aggregating function", 3,
             {"runtime/agg/functions.h": [('    {"llquantize",', '    {"latest", "void(int64_t)", AggFunction::Latest, &kLatest, "the value that came last"},\n'),
                                          ("struct AggFunctionRow {", "extern const AggOperations kLatest;\n\n")],
              "runtime/program/program.h": [("Lquantize, Llquantize };", "Latest, ")]},
             {"runtime/agg/latest.cpp": """#include "runtime/agg/functions.h"

namespace sonde {
namespace {
uint64_t words(const AggregationDesc&) { return 1; }
void step(const AggregationDesc&, int64_t* data, int64_t value, int64_t) { data[0] = value; }
void merge(const AggregationDesc&, int64_t* into, const int64_t* from) { into[0] = from[0]; }
int64_t value(const int64_t* data) { return data[0]; }
AggTotal total(const AggregationDesc&, const int64_t* data) { return {static_cast<long double>(data[0]), 0}; }
}  // namespace
const AggOperations kLatest = {words, step, merge, total, value, nullptr};
}  // namespace sonde
"""}, ["-qn", "BEGIN { @ = latest(1); @ = latest(7); exit(0); }"], "7"),
    Addition("an option", 2,
             {"runtime/lang/options.h": [('    {"flowindent",', '    {"farewell", OptionKind::Flag, OptionPhase::Always, "0", "say goodbye"},\n')],
              "runtime/session/tracing.cpp": [("  if (reports_cost_) report_cut_strings();", '  if (options_.flag("farewell")) output_.write("goodbye");\n')]},
             {}, ["-q", "-x", "farewell", "-n", "BEGIN { exit(0); }"], "goodbye"),
    Addition("a captured variable", 5,
             {"kmod/shared/dif.h": [('	X(PGID, "process group")', '	X(TRACED, "1 where a process is traced") \\\n')],
              "runtime/lang/variables.h": [('    {"ucaller",', '    {"traced", "int", From::Fire, SONDE_DIF_VAR_TRACED, "whether this thread is traced"},\n')],
              "runtime/framework/self_env.cpp": [("    case SONDE_DIF_VAR_COUNT: break;", "    case SONDE_DIF_VAR_TRACED: return 0;\n")],
              "runtime/guard/dif_env.cpp": [("    case SONDE_DIF_VAR_COUNT: break;", "    case SONDE_DIF_VAR_TRACED: return 1;\n")],
              "kmod/device/fire.c": [("	case SONDE_DIF_VAR_COUNT:", "	case SONDE_DIF_VAR_TRACED:\n		return 1;\n")]},
             {}, ["-qn", 'BEGIN { printf("%d ", traced); } syscall::exit_group:entry { printf("%d", traced); }', "-c", "true"], "0 1"),
    Addition("an event", 4,
             {"kmod/shared/event.h": [('	KIND(EXEC, "-", "an exec was asked for', '	KIND(LWP_BEGIN, "-", "in the new thread") \\\n')],
              "runtime/guard/tracer.cpp": [("  thread.newborn = parent != nullptr && (", "  const bool begins = parent != nullptr && taps_.any(SONDE_TAP_LWP_BEGIN);\n"),
                                           ("  want_events(thread);\n  if (thread.newborn || thread.unclean) utrace_control(", "  thread.newborn |= begins;\n"),
                                           ("  fire(thread, taps_.of(SONDE_TAP_LWP_START), Firing());", "  fire(thread, taps_.of(SONDE_TAP_LWP_BEGIN), Firing());\n")],
              "kmod/device/points.c": [("		point_fire_kind(&firing, SONDE_TAP_LWP_START);", "		point_fire_kind(&firing, SONDE_TAP_LWP_BEGIN);\n"),
                                       ("	    !rcu_access_pointer(session->kinds[SONDE_TAP_LWP_START]) &&", "	    !rcu_access_pointer(session->kinds[SONDE_TAP_LWP_BEGIN]) &&\n"),
                                       ("	 BIT(SONDE_TAP_START) | BIT(SONDE_TAP_LWP_START))", "	 BIT(SONDE_TAP_LWP_BEGIN) | \\\n")],
              "providers/proc/proc_provider.cpp": [('    {"lwp-exit",', '    {"lwp-begin", SONDE_TAP_LWP_BEGIN, {}, 0},\n')]},
             {}, ["-qn", "proc:::lwp-begin { @ = count(); }", "-c", "sh -c 'true | true'"], "2"),
    Addition("a provider with its translators", 3,
             {"providers/registry.h": [("  X(pid)\n", "  X(greeting) \\\n")]},
             {"providers/greeting/greeting_provider.cpp": """#include <cerrno>

#include "providers/provider_entry.h"
#include "providers/stability.h"

namespace sonde {
namespace {
dtrace_provider_id_t g_provider = 0;
dtrace_id_t g_hello = 0;
void provide(void*, const dtrace_probedesc_t*) {
  if (g_hello == 0) g_hello = dtrace_probe_create(g_provider, "", "", "hello", 0, nullptr);
}
void enable(void*, dtrace_id_t, void*) {}
void disable(void*, dtrace_id_t, void*) {}
void destroy(void*, dtrace_id_t, void*) { g_hello = 0; }
}  // namespace
}  // namespace sonde

extern "C" int sonde_greeting_register(void) {
  using namespace sonde;
  const dtrace_pattr_t attributes = {kStable, kPrivate, kPrivate, kStable, kStable};
  dtrace_pops_t ops = {};
  ops.dtps_provide = provide;
  ops.dtps_enable = enable;
  ops.dtps_disable = disable;
  ops.dtps_destroy = destroy;
  return dtrace_register("greeting", &attributes, DTRACE_PRIV_NONE, nullptr, &ops, nullptr, &g_provider);
}

extern "C" void sonde_greeting_unregister(void) { dtrace_unregister(sonde::g_provider); }
""",
              "providers/greeting/greeting.d": """typedef struct greeting { string g_text; } greeting_t;
translator greeting_t < int N > { g_text = N == 1 ? "hello" : "goodbye"; };
"""}, ["-qn", 'greeting:::hello { } BEGIN { printf("%s", xlate <greeting_t *> (1)->g_text); exit(0); }'], "hello"),
    Addition("a printer", 3,
             {"runtime/print/printers.h": [('  X(svg, "', '  X(tally, "how many items there were") \\\n')]},
             {"runtime/print/tally_printer.cpp": """#include "runtime/print/printer.h"

namespace sonde {
namespace {
class TallyPrinter final : public Printer {
 public:
  using Printer::Printer;
  void begin_record(const TraceRecord&, RowStyle) override {}
  void item(TraceRecord&, const TraceItem&) override { ++items_; }
  void end_record(const TraceRecord&, RowStyle) override {}
  void aggregations(const AggSnapshot&, const FormatSettings&) override {}
  void end(const RunEnd&) override { sink_.text += std::to_string(items_) + "\\n"; }

 private:
  uint64_t items_ = 0;
};
}  // namespace
std::unique_ptr<Printer> make_tally_printer(PrintSink& sink) { return std::make_unique<TallyPrinter>(sink); }
}  // namespace sonde
"""}, ["-q", "--format=tally", "-n", "BEGIN { trace(1); trace(2); exit(0); }"], "2"),
]


def added():
    """({file: text} with every addition, complaints)."""
    texts, wrong = {}, []
    for addition in ADDITIONS:
        for file, edits in addition.before.items():
            text = texts.get(file, (ROOT / file).read_text())
            for line, put in edits:
                if text.count(line) != 1:
                    wrong.append(f"{addition.what}: {file} has {text.count(line)} times: {line}")
                text = text.replace(line, put + line)
            texts[file] = text
        texts |= addition.new
        if len(addition.files) > addition.bound:
            wrong.append(f"{addition.what}: {len(addition.files)} files, at most {addition.bound} are wanted")
    return texts, wrong


def build():
    """Complaints if it does not build."""
    log = ROOT / "build/build.log"
    log.parent.mkdir(exist_ok=True)
    with open(log, "w", encoding="utf-8") as output:
        for argv in (["cmake", "-S", ROOT, "--preset", "release"], ["ninja", "-C", ROOT / "build", "sonde"]):
            if subprocess.run(argv, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False).returncode != 0:
                return [f"sonde does not build: {log.read_text(errors='replace')[-3000:]}"]
    setup = subprocess.run([ROOT / "tests/guest/setup"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if setup.returncode != 0:
        return [f"the module cannot be built here: {setup.stderr[-500:]}"]
    module = subprocess.run([ROOT / "tests/kmod/build", setup.stdout.split()[-1]], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return [] if module.returncode == 0 else [f"the module does not build: {module.stderr[-3000:]}"]


def use(addition):
    """Complaints if an addition does not do what it should."""
    status, text = mutants.run([ROOT / "build/bin/sonde", *addition.command])
    if status == 0 and addition.prints in text.split() + [text.strip()]:
        return []
    return [f"{addition.what}: sonde {' '.join(addition.command)}: status {status}, {text[-500:]!r}; wanted {addition.prints!r}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", action="store_true", help="no build")
    parser.add_argument("--in-copy", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.in_copy:
        wrong = build()
        wrong += [] if wrong else [line for addition in ADDITIONS for line in use(addition)]
        print("\n".join(wrong), end="\n" if wrong else "")
        return 1 if wrong else 0
    texts, wrong = added()
    for addition in ADDITIONS:
        print(f"{addition.what}: {len(addition.files)} files ({', '.join(addition.files)})")
    print("\n".join(wrong), end="\n" if wrong else "")
    if wrong or arguments.count:
        return 1 if wrong else 0
    mutants.mirror_tree(COPY, texts)
    return mutants.run_in_place_of_the_tree(COPY, __file__, ["--in-copy"])


if __name__ == "__main__":
    sys.exit(main())
