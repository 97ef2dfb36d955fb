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
  Signal,             ///< the same, and all it does is to send the process a signal: its argument, or SIGSTOP
  DestructiveRecord,  ///< needs -w and is data-recording: it is done in its place in the output
  Impossible,         ///< destructive, and no source can do it: it compiles, but cannot be enabled
  Refused,            ///< known, but not supported
};

/// Whether it is a statement, not a value.
constexpr bool is_action(Runs runs) { return runs != Runs::Fire && runs != Runs::Body && runs != Runs::Refused; }
constexpr bool is_destructive(Runs runs) {
  return runs == Runs::Destructive || runs == Runs::Signal || runs == Runs::DestructiveRecord ||
         runs == Runs::Impossible;
}
/// For the rules of speculation: such an action may come neither before nor after a commit() in its clause.
constexpr bool is_recording(Runs runs) {
  return runs == Runs::Record || runs == Runs::Exit || runs == Runs::DestructiveRecord;
}

/// Last in a row: it reads the kernel, so it needs a source that can.
inline constexpr bool kOfKernel = true;
inline constexpr bool kChains = true;

struct DFunction {
  std::string_view name;
  std::string_view prototype;
  Runs runs;
  std::string_view doc;
  bool of_kernel = false;
  std::string_view behind = {};  ///< a variable that it gets behind its arguments, as it was when the probe fired
  bool chains = false;           ///< f(a, f(b, c)) is f(f(a, b), c), and its code takes any number of arguments
};

inline constexpr std::array kFunctions = std::to_array<DFunction>({
    {"__address4", "string(uint32_t)", Runs::Body, "an IPv4 address, as a packet has it, as text"},
    {"__address6", "string(uint64_t, uint64_t)", Runs::Body,
     "the halves of an IPv6 address, as a packet has them, as text"},
    {"__cgroup", "string(uint64_t)", Runs::Body, "path of the cgroup with this id"},
    {"__clock", "string(int64_t, int)", Runs::Body, "time of day of nanoseconds since 1970, with this many digits"},
    {"__container", "string(uint64_t)", Runs::Body, "container of the cgroup with this id"},
    {"__cpu_node", "int(int)", Runs::Body, "memory node of a cpu"},
    {"__cpu_package", "int(int)", Runs::Body, "processor package of a cpu"},
    {"__cpuinfo", "void *(int)", Runs::Body, "the cpuinfo_t of a CPU"},
    {"__decimal", "int64_t(string)", Runs::Body, "the decimal number in a string; 0 if it has none"},
    {"__delay", "void(uint64_t)", Runs::Destructive, "holds the thread for this many nanoseconds"},
    {"__duration", "string(int64_t, int)", Runs::Body, "nanoseconds with a unit, in at least this many columns"},
    {"__errno_name", "string(int)", Runs::Body, "name of an errno, such as ENOENT; empty for 0"},
    {"__escaped", "string(string)", Runs::Body, "a string with C's escapes for what is not printable"},
    {"__in_cgroup", "int(uint64_t, string)", Runs::Body,
     "whether the cgroup with this id, or one above it, has such a path"},
    {"__no_stack", "stack(uint32_t, uint32_t)", Runs::Body,
     "an empty kernel stack, for sources that do not see the kernel"},
    {"__seconds", "string(int64_t, int, int)", Runs::Body,
     "nanoseconds as seconds: this many digits, at least this wide"},
    {"__signal", "void(int)", Runs::Destructive, "sends the thread, not its process, a signal"},
    {"__tail", "string(string, uint64_t)", Runs::Body, "the rest of a string, from a byte on"},
    {"__ucaller", "uint64_t(stack)", Runs::Body, "return address of the function in which a stack begins; 0: none"},
    {"__ustackdepth", "uint32_t(stack)", Runs::Body, "number of frames of a stack"},
    {"alloca", "void *(size_t)", Runs::Body, "zeroed scratch memory that lasts until the clause ends"},
    {"basename", "string(string)", Runs::Body, "last component of a path"},
    {"bcopy", "void(void *, void *, size_t)", Runs::Body, "copies bytes into scratch memory"},
    {"breakpoint", "void()", Runs::Impossible, "breakpoint() stops the kernel: no event source can do that"},
    {"chill", "void(uint64_t)", Runs::Destructive, "holds the thread for this many nanoseconds, at most 500 ms"},
    {"cleanpath", "string(string)", Runs::Body, "a path without ., .. and //"},
    {"clear", "void(@)", Runs::Action, "sets the values of an aggregation to zero and keeps its keys"},
    {"commit", "void(int)", Runs::Commit, "outputs the records of a speculation"},
    {"copyin", "void *(uintptr_t, size_t)", Runs::Fire, "bytes of the traced process, copied to scratch memory"},
    {"copyinstr", "string(uintptr_t, [size_t])", Runs::Fire, "string of the traced process"},
    {"copyinto", "void(uintptr_t, size_t, void *)", Runs::Fire,
     "copies bytes of the traced process to the given scratch memory"},
    {"copyout", "void(void *, uintptr_t, size_t)", Runs::Destructive, "writes bytes into the traced process"},
    {"copyoutstr", "void(string, uintptr_t, size_t)", Runs::Destructive, "writes a string into the traced process"},
    {"denormalize", "void(@)", Runs::Action, "undoes normalize()"},
    {"dirname", "string(string)", Runs::Body, "a path without its last component"},
    {"discard", "void(int)", Runs::Action, "drops the records of a speculation"},
    {"exit", "void(int)", Runs::Exit, "ends tracing with this exit status"},
    {"freopen", "void(@@, ...)", Runs::DestructiveRecord,
     "sends the output to a file; an empty name restores the first destination"},
    {"ftruncate", "void()", Runs::Record, "empties the output file"},
    {"func", "_symaddr(uintptr_t)", Runs::Body, "function at a kernel address", kOfKernel},
    {"getmajor", "dev_t(dev_t)", Runs::Body, "major number of a device"},
    {"getminor", "dev_t(dev_t)", Runs::Body, "minor number of a device"},
    {"htonl", "uint32_t(uint32_t)", Runs::Body, "host to network order, 32 bits"},
    {"htonll", "uint64_t(uint64_t)", Runs::Body, "host to network order, 64 bits"},
    {"htons", "uint16_t(uint16_t)", Runs::Body, "host to network order, 16 bits"},
    {"index", "int(string, string, [int])", Runs::Body,
     "position of the first occurrence of a string in another, or -1"},
    {"inet_ntoa", "string(ipaddr_t *)", Runs::Body, "IPv4 address as text"},
    {"inet_ntoa6", "string(in6_addr_t *, [int constant])", Runs::Body,
     "IPv6 address as text; an embedded IPv4 address as IPv4, unless strict"},
    {"inet_ntop", "string(int, void *)", Runs::Body, "IP address as text"},
    {"inject", "void(int64_t)", Runs::Destructive,
     "at a system call's entry: the call is not made, and returns that; -ENOENT: it fails"},
    {"jstack", "stack([uint32_t], [uint32_t])", Runs::Fire, "user stack of jstackframes frames"},
    {"link_ntop", "string(int, void *)", Runs::Body, "hardware address as text"},
    {"lltostr", "string(int64_t, [int])", Runs::Body, "number as text"},
    {"mod", "_symaddr(uintptr_t)", Runs::Body, "module at a kernel address", kOfKernel},
    {"mutex_owned", "int(struct mutex *)", Runs::Refused,
     "mutex_owned() needs the kernel's locks: no event source reads them"},
    {"mutex_owner", "struct task_struct *(struct mutex *)", Runs::Refused,
     "mutex_owner() needs the kernel's locks: no event source reads them"},
    {"mutex_type_adaptive", "int(struct mutex *)", Runs::Refused,
     "mutex_type_adaptive() needs the kernel's locks: no event source reads them"},
    {"mutex_type_spin", "int(struct mutex *)", Runs::Refused,
     "mutex_type_spin() needs the kernel's locks: no event source reads them"},
    {"normalize", "void(@, uint64_t)", Runs::Action, "divides the values of an aggregation when they are printed"},
    {"ntohl", "uint32_t(uint32_t)", Runs::Body, "network to host order, 32 bits"},
    {"ntohll", "uint64_t(uint64_t)", Runs::Body, "network to host order, 64 bits"},
    {"ntohs", "uint16_t(uint16_t)", Runs::Body, "network to host order, 16 bits"},
    {"panic", "void()", Runs::Impossible, "panic() stops the kernel: no event source can do that"},
    {"print", "void(void *)", Runs::Record, "shows the object at a pointer, member by member"},
    {"printa", "void([string], @, ...)", Runs::Record, "prints aggregations"},
    {"printf", "void(string, ...)", Runs::Record, "prints values by a format"},
    {"progenyof", "int(pid_t)", Runs::Body, "whether the process is this one or one of its descendants", !kOfKernel,
     "ppid"},
    {"raise", "void(int)", Runs::Signal, "sends a signal to the process"},
    {"rand", "int()", Runs::Body, "pseudo-random number"},
    {"rindex", "int(string, string, [int])", Runs::Body,
     "position of the last occurrence of a string in another, or -1"},
    {"rw_iswriter", "int(rwlock_t *)", Runs::Refused,
     "rw_iswriter() needs the kernel's locks: no event source reads them"},
    {"rw_read_held", "int(rwlock_t *)", Runs::Refused,
     "rw_read_held() needs the kernel's locks: no event source reads them"},
    {"rw_write_held", "int(rwlock_t *)", Runs::Refused,
     "rw_write_held() needs the kernel's locks: no event source reads them"},
    {"setopt", "void(string, [string])", Runs::Action, "sets an option while tracing"},
    {"speculate", "void(int)", Runs::Speculate, "sends the records of this clause to a speculation"},
    {"speculation", "int()", Runs::Body, "number of a new speculation; 0 if none is free"},
    {"stack", "stack([uint32_t])", Runs::Fire, "kernel stack: to trace, or as a key", kOfKernel},
    {"stop", "void()", Runs::Signal, "stops the process"},
    {"strchr", "string(string, char)", Runs::Body, "rest of a string from the first such character on, or NULL"},
    {"strjoin", "string(string, string)", Runs::Body, "two strings, joined", false, {}, kChains},
    {"strlen", "size_t(string)", Runs::Body, "length in bytes, without the NUL"},
    {"strrchr", "string(string, char)", Runs::Body, "rest of a string from the last such character on, or NULL"},
    {"strstr", "string(string, string)", Runs::Body,
     "rest of a string from the first occurrence of another on, or NULL"},
    {"strtok", "string(string, string)", Runs::Body, "next token of a string, or NULL"},
    {"substr", "string(string, int, [int])", Runs::Body, "part of a string"},
    {"sym", "_symaddr(uintptr_t)", Runs::Body, "function at a kernel address", kOfKernel},
    {"system", "void(@@, ...)", Runs::DestructiveRecord, "runs a shell command when the record is consumed"},
    {"trace", "void(@@)", Runs::Record, "prints a value"},
    {"tracemem", "void(@@, size_t, [size_t])", Runs::Record, "prints memory as a hex dump"},
    {"trunc", "void(@, [int64_t])", Runs::Action,
     "keeps only the elements with the greatest values; with a negative number, the least"},
    {"uaddr", "_usymaddr(uintptr_t)", Runs::Body, "symbol and offset at a user address"},
    {"ufunc", "_usymaddr(uintptr_t)", Runs::Body, "function at a user address"},
    {"umod", "_usymaddr(uintptr_t)", Runs::Body, "module at a user address"},
    {"ustack", "stack([uint32_t], [uint32_t])", Runs::Fire, "user stack: to trace, or as a key"},
    {"usym", "_usymaddr(uintptr_t)", Runs::Body, "function at a user address"},
});
static_assert(std::ranges::is_sorted(kFunctions, {}, &DFunction::name));

/// The row of a name, or null.
constexpr const DFunction* find_function(std::string_view name) {
  auto at = std::ranges::lower_bound(kFunctions, name, {}, &DFunction::name);
  return at != kFunctions.end() && at->name == name ? &*at : nullptr;
}

}  // namespace sonde
