// SPDX-License-Identifier: GPL-3.0-or-later
// The subroutines and actions of D: one row each.
//
// A prototype is written as in the manual: `result(type, type, [type], ...)`; [ ] is optional, @ is an aggregation, ...
// is any number of values. A row of Runs::Body is the runtime's `uint64_t sonde_fn_NAME(BodyContext *, uint32_t argc,
// const uint64_t *argv)` (one that makes a symbol from an address gets one more argument: whether a call returns to the
// address); one of Runs::Action is `void sonde_act_NAME(BodyContext *, const ActionSite *, uint32_t argc, const
// uint64_t *argv)` (runtime/body/context.h). Runs::Fire is captured where the probe fires: a stack, a string or bytes,
// by the type of its result; if that is void, the bytes go to its last argument. Runs::Refused has no code: `doc` has
// the reason.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sonde {

enum class Runs : uint8_t {
  Fire,
  Body,
  Action,             ///< not data-recording: clear, normalize, setopt, ...
  Speculate,          ///< what the clause records from here on waits for commit() or discard()
  Commit,             ///< outputs what a speculation has gathered
  Record,             ///< data-recording action: trace, printf, ...
  Exit,               ///< data-recording, and cannot be undone
  Destructive,        ///< needs -w; the thread waits until the body has run
  DestructiveRecord,  ///< needs -w and is data-recording: it is done in its place in the output
  Impossible,         ///< destructive, and no source can do it: it compiles, but cannot be enabled
  Refused,            ///< known, but not supported
};

/// Whether it is a statement, not a value.
constexpr bool is_action(Runs runs) { return runs != Runs::Fire && runs != Runs::Body && runs != Runs::Refused; }
constexpr bool is_destructive(Runs runs) {
  return runs == Runs::Destructive || runs == Runs::DestructiveRecord || runs == Runs::Impossible;
}
/// For the rules of speculation: such an action may come neither before nor after a commit() in its clause.
constexpr bool is_recording(Runs runs) {
  return runs == Runs::Record || runs == Runs::Exit || runs == Runs::DestructiveRecord;
}

/// Last in a row: it reads the kernel, so it needs a source that can.
inline constexpr bool kOfKernel = true;

struct DFunction {
  std::string_view name;
  std::string_view prototype;
  Runs runs;
  std::string_view doc;
  bool of_kernel = false;
  std::string_view behind = {};  ///< a variable that it gets behind its arguments, as it was when the probe fired
};

inline constexpr std::array kFunctions = std::to_array<DFunction>({
    {"__cpu_node", "int(int)", Runs::Body, "memory node of a cpu"},
    {"__cpu_package", "int(int)", Runs::Body, "processor package of a cpu"},
    {"__cpuinfo", "void *(int)", Runs::Body, "what cpuinfo_t says of a cpu"},
    {"__decimal", "int64_t(string)", Runs::Body, "a decimal number; 0 where there is none"},
    {"__no_stack", "stack(uint32_t, uint32_t)", Runs::Body, "the kernel's stack, where nobody sees the kernel"},
    {"__tail", "string(string, uint64_t)", Runs::Body, "a string from that byte on"},
    {"alloca", "void *(size_t)", Runs::Body, "scratch memory of this clause, zeroed"},
    {"basename", "string(string)", Runs::Body, "last component of a path"},
    {"bcopy", "void(void *, void *, size_t)", Runs::Body, "copies bytes into scratch memory"},
    {"breakpoint", "void()", Runs::Impossible, "breakpoint() stops the kernel: there is no source that can"},
    {"chill", "void(uint64_t)", Runs::Destructive, "holds the thread for so many nanoseconds, 500 ms at most"},
    {"cleanpath", "string(string)", Runs::Body, "a path without ., .. and //"},
    {"clear", "void(@)", Runs::Action, "zeroes an aggregation's values, keeps its keys"},
    {"commit", "void(int)", Runs::Commit, "outputs what a speculation has gathered"},
    {"copyin", "void *(uintptr_t, size_t)", Runs::Fire, "bytes of the traced process, in scratch memory"},
    {"copyinstr", "string(uintptr_t, [size_t])", Runs::Fire, "string in the traced process"},
    {"copyinto", "void(uintptr_t, size_t, void *)", Runs::Fire, "bytes of the traced process, into scratch memory"},
    {"copyout", "void(void *, uintptr_t, size_t)", Runs::Destructive, "writes bytes into the traced process"},
    {"copyoutstr", "void(string, uintptr_t, size_t)", Runs::Destructive, "writes a string into the traced process"},
    {"denormalize", "void(@)", Runs::Action, "undoes normalize()"},
    {"dirname", "string(string)", Runs::Body, "a path without its last component"},
    {"discard", "void(int)", Runs::Action, "drops what a speculation has gathered"},
    {"exit", "void(int)", Runs::Exit, "ends tracing with a status"},
    {"freopen", "void(@@, ...)", Runs::DestructiveRecord, "sends the output to a file; \"\" undoes it"},
    {"ftruncate", "void()", Runs::Record, "empties the file that the output goes to"},
    {"func", "_symaddr(uintptr_t)", Runs::Body, "function of a kernel address", kOfKernel},
    {"getmajor", "dev_t(dev_t)", Runs::Body, "major number of a device"},
    {"getminor", "dev_t(dev_t)", Runs::Body, "minor number of a device"},
    {"htonl", "uint32_t(uint32_t)", Runs::Body, "host to network order, 32 bits"},
    {"htonll", "uint64_t(uint64_t)", Runs::Body, "host to network order, 64 bits"},
    {"htons", "uint16_t(uint16_t)", Runs::Body, "host to network order, 16 bits"},
    {"index", "int(string, string, [int])", Runs::Body, "where a string first occurs in another, or -1"},
    {"inet_ntoa", "string(ipaddr_t *)", Runs::Body, "IPv4 address as text"},
    {"inet_ntoa6", "string(in6_addr_t *, [int constant])", Runs::Body,
     "IPv6 address as text; an IPv4 address in it alone, unless strict"},
    {"inet_ntop", "string(int, void *)", Runs::Body, "IP address as text"},
    {"jstack", "stack([uint32_t], [uint32_t])", Runs::Fire, "the user stack, with jstackframes frames"},
    {"link_ntop", "string(int, void *)", Runs::Body, "hardware address as text"},
    {"lltostr", "string(int64_t, [int])", Runs::Body, "number as text"},
    {"mod", "_symaddr(uintptr_t)", Runs::Body, "module of a kernel address", kOfKernel},
    {"mutex_owned", "int(struct mutex *)", Runs::Refused,
     "mutex_owned() needs the kernel's locks: no source shows them"},
    {"mutex_owner", "struct task_struct *(struct mutex *)", Runs::Refused,
     "mutex_owner() needs the kernel's locks: no source shows them"},
    {"mutex_type_adaptive", "int(struct mutex *)", Runs::Refused,
     "mutex_type_adaptive() needs the kernel's locks: no source shows them"},
    {"mutex_type_spin", "int(struct mutex *)", Runs::Refused,
     "mutex_type_spin() needs the kernel's locks: no source shows them"},
    {"normalize", "void(@, uint64_t)", Runs::Action, "divides what an aggregation prints"},
    {"ntohl", "uint32_t(uint32_t)", Runs::Body, "network to host order, 32 bits"},
    {"ntohll", "uint64_t(uint64_t)", Runs::Body, "network to host order, 64 bits"},
    {"ntohs", "uint16_t(uint16_t)", Runs::Body, "network to host order, 16 bits"},
    {"panic", "void()", Runs::Impossible, "panic() stops the kernel: there is no source that can"},
    {"print", "void(void *)", Runs::Record, "shows what a pointer points to, member by member"},
    {"printa", "void([string], @, ...)", Runs::Record, "prints aggregations"},
    {"printf", "void(string, ...)", Runs::Record, "prints values by a format"},
    {"progenyof", "int(pid_t)", Runs::Body, "whether the process is that one or descends from it", !kOfKernel, "ppid"},
    {"raise", "void(int)", Runs::Destructive, "sends the process a signal"},
    {"rand", "int()", Runs::Body, "pseudo-random number"},
    {"rindex", "int(string, string, [int])", Runs::Body, "where a string last occurs in another, or -1"},
    {"rw_iswriter", "int(rwlock_t *)", Runs::Refused, "rw_iswriter() needs the kernel's locks: no source shows them"},
    {"rw_read_held", "int(rwlock_t *)", Runs::Refused, "rw_read_held() needs the kernel's locks: no source shows them"},
    {"rw_write_held", "int(rwlock_t *)", Runs::Refused,
     "rw_write_held() needs the kernel's locks: no source shows them"},
    {"setopt", "void(string, [string])", Runs::Action, "sets an option while tracing"},
    {"speculate", "void(int)", Runs::Speculate, "what the clause records goes to a speculation"},
    {"speculation", "int()", Runs::Body, "number of a new speculation; 0 when none is free"},
    {"stack", "stack([uint32_t])", Runs::Fire, "the kernel's stack; traced, or a key", kOfKernel},
    {"stop", "void()", Runs::Destructive, "stops the process"},
    {"strchr", "string(string, char)", Runs::Body, "from the first such character on, or NULL"},
    {"strjoin", "string(string, string)", Runs::Body, "two strings in one"},
    {"strlen", "size_t(string)", Runs::Body, "length in bytes, no NUL"},
    {"strrchr", "string(string, char)", Runs::Body, "from the last such character on, or NULL"},
    {"strstr", "string(string, string)", Runs::Body, "from where a string occurs in another, or NULL"},
    {"strtok", "string(string, string)", Runs::Body, "next token of a string, or NULL"},
    {"substr", "string(string, int, [int])", Runs::Body, "part of a string"},
    {"sym", "_symaddr(uintptr_t)", Runs::Body, "function of a kernel address", kOfKernel},
    {"system", "void(@@, ...)", Runs::DestructiveRecord, "runs a shell command when the record is consumed"},
    {"trace", "void(@@)", Runs::Record, "prints a value"},
    {"tracemem", "void(@@, size_t, [size_t])", Runs::Record, "prints memory as a hex dump"},
    {"trunc", "void(@, [int64_t])", Runs::Action, "removes all but the greatest (or, negative, least) elements"},
    {"uaddr", "_usymaddr(uintptr_t)", Runs::Body, "symbol and offset of a user address"},
    {"ufunc", "_usymaddr(uintptr_t)", Runs::Body, "function of a user address"},
    {"umod", "_usymaddr(uintptr_t)", Runs::Body, "module of a user address"},
    {"ustack", "stack([uint32_t], [uint32_t])", Runs::Fire, "the user stack; traced, or a key"},
    {"usym", "_usymaddr(uintptr_t)", Runs::Body, "function of a user address"},
});
static_assert(std::ranges::is_sorted(kFunctions, {}, &DFunction::name));

/// The row of a name, or null.
constexpr const DFunction* find_function(std::string_view name) {
  auto at = std::ranges::lower_bound(kFunctions, name, {}, &DFunction::name);
  return at != kFunctions.end() && at->name == name ? &*at : nullptr;
}

}  // namespace sonde
