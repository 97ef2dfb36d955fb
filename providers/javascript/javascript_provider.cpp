// SPDX-License-Identifier: GPL-3.0-or-later
// javascript: the probes that browsers once had, each refused by its name with what can be asked instead
//
// V8 makes the code of a function while the program runs, and makes it again. Debian's node has no function of its own
// that stands for a call: code that is compiled calls code that is compiled. The names are in the heap, in structures
// that differ from version to version, and no text there ends with a NUL, which scripts' copyinstr() needs. What
// node --perf-basic-prof lists are functions of pid, with their names in probefunc.
//
// We refused the interpreter's entry (Builtins_InterpreterEntryTrampoline): calls of hot functions do not get there, and
// Debian's library does not export it.
#include "providers/provider_entry.h"
#include "providers/translation.h"

namespace sonde::javascript {
namespace {

#define SONDE_FUNCTIONS_OF_NODE "node --perf-basic-prof FILE, then pid$target:perf*:*NAME*:entry with -p"

constexpr translation::Absent kAbsent[] = {
    {"function-entry",
     "node makes code while it runs, and has no such probe; calls, with the name in "
     "probefunc: " SONDE_FUNCTIONS_OF_NODE},
    {"function-info", "node has no such probe; the file and the line are in probefunc: " SONDE_FUNCTIONS_OF_NODE},
    {"function-args",
     "node has no such probe, and its arguments are objects of its heap; calls: " SONDE_FUNCTIONS_OF_NODE},
    {"function-r*",
     "only node knows where code that it has made returns; time by function: profile-97 { @[jstack()] = count(); }"},
    {"object-*",
     "node makes objects in code that it has made, which calls nobody; time by function: profile-97 { @[jstack()] = "
     "count(); }"},
    {"execute-*", "node runs the file of a module as a function: " SONDE_FUNCTIONS_OF_NODE},
    {"*", "node has no such probe; calls: " SONDE_FUNCTIONS_OF_NODE},
};

constexpr std::string_view kFiles[] = {"node", "nodejs", "libnode.so*"};

constexpr translation::Provider kProvider = {
    .name = "javascript",
    .rows = {},
    .absent = kAbsent,
    .files = kFiles,
    .functions = {},
    .inside = "",
    .installed = {},
    .nothing = "has no probes of JavaScript: functions that node makes are " SONDE_FUNCTIONS_OF_NODE,
};

}  // namespace
}  // namespace sonde::javascript

extern "C" int sonde_javascript_register(void) {
  return sonde::translation::register_translation(sonde::javascript::kProvider);
}

extern "C" void sonde_javascript_unregister(void) {
  sonde::translation::unregister_translation(sonde::javascript::kProvider);
}
