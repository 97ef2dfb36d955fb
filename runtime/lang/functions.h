// SPDX-License-Identifier: GPL-3.0-or-later
// The subroutines and actions of D: one row each.
//
// A prototype reads as in the manual: `result(type, type, [type], ...)`; [ ] may be left out, @ is an
// aggregation, ... is any number of values. A row of Runs::Body is the runtime's
// `uint64_t sonde_fn_NAME(BodyContext *, uint32_t argc, const uint64_t *argv)`; of Runs::Action
// `void sonde_act_NAME(BodyContext *, const ActionSite *, uint32_t argc, const uint64_t *argv)`
// (runtime/body/context.h). Runs::Fire is captured where the probe fires. Runs::Refused has no code: `doc` says why.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sonde {

enum class Runs : uint8_t {
  Fire,
  Body,
  Action,       ///< not data-recording: clear, normalize, setopt, ...
  Record,       ///< data-recording action: trace, printf, ...; exit is one, too
  Destructive,  ///< action that needs -w
  Refused,      ///< known, but cannot be had (yet)
};

struct DFunction {
  std::string_view name;
  std::string_view prototype;
  Runs runs;
  std::string_view doc;
};

inline constexpr std::array kFunctions = std::to_array<DFunction>({
    {"alloca", "void *(size_t)", Runs::Body, "scratch memory of this clause, zeroed"},
    {"basename", "string(string)", Runs::Body, "last component of a path"},
    {"bcopy", "void(void *, void *, size_t)", Runs::Body, "copies bytes into scratch memory"},
    {"breakpoint", "void()", Runs::Refused, "breakpoint() stops the kernel: there is no source that can"},
    {"chill", "void(uint64_t)", Runs::Refused, "chill() spins in the kernel: it needs the kmod source"},
    {"cleanpath", "string(string)", Runs::Body, "a path without ., .. and //"},
    {"clear", "void(@)", Runs::Action, "zeroes an aggregation's values, keeps its keys"},
    {"commit", "void(int)", Runs::Refused, "speculations are not there yet"},
    {"copyin", "void *(uintptr_t, size_t)", Runs::Fire, "bytes of the traced process, in scratch memory"},
    {"copyinstr", "string(uintptr_t, [size_t])", Runs::Fire, "string in the traced process"},
    {"copyinto", "void(uintptr_t, size_t, void *)", Runs::Refused, "copyinto() is not there yet: use copyin()"},
    {"copyout", "void(void *, uintptr_t, size_t)", Runs::Refused, "copyout() is not there yet"},
    {"copyoutstr", "void(string, uintptr_t, size_t)", Runs::Refused, "copyoutstr() is not there yet"},
    {"denormalize", "void(@)", Runs::Action, "undoes normalize()"},
    {"dirname", "string(string)", Runs::Body, "a path without its last component"},
    {"discard", "void(int)", Runs::Refused, "speculations are not there yet"},
    {"exit", "void(int)", Runs::Record, "ends tracing with a status"},
    {"freopen", "void(string, ...)", Runs::Refused, "freopen() is not there yet"},
    {"ftruncate", "void()", Runs::Refused, "ftruncate() is not there yet"},
    {"func", "_symaddr(uintptr_t)", Runs::Refused, "func() resolves kernel addresses: it needs the kmod source"},
    {"getmajor", "dev_t(dev_t)", Runs::Body, "major number of a device"},
    {"getminor", "dev_t(dev_t)", Runs::Body, "minor number of a device"},
    {"htonl", "uint32_t(uint32_t)", Runs::Body, "host to network order, 32 bits"},
    {"htonll", "uint64_t(uint64_t)", Runs::Body, "host to network order, 64 bits"},
    {"htons", "uint16_t(uint16_t)", Runs::Body, "host to network order, 16 bits"},
    {"index", "int(string, string, [int])", Runs::Body, "where a string first occurs in another, or -1"},
    {"inet_ntoa", "string(ipaddr_t *)", Runs::Body, "IPv4 address as text"},
    {"inet_ntoa6", "string(in6_addr_t *, [int])", Runs::Refused, "inet_ntoa6() is not there yet"},
    {"inet_ntop", "string(int, void *)", Runs::Body, "IP address as text"},
    {"jstack", "stack([uint32_t], [uint32_t])", Runs::Refused, "jstack() is not there yet: use ustack()"},
    {"link_ntop", "string(int, void *)", Runs::Refused, "link_ntop() is not there yet"},
    {"lltostr", "string(int64_t, [int])", Runs::Body, "number as text"},
    {"mod", "_symaddr(uintptr_t)", Runs::Refused, "mod() resolves kernel addresses: it needs the kmod source"},
    {"normalize", "void(@, uint64_t)", Runs::Action, "divides what an aggregation prints"},
    {"ntohl", "uint32_t(uint32_t)", Runs::Body, "network to host order, 32 bits"},
    {"ntohll", "uint64_t(uint64_t)", Runs::Body, "network to host order, 64 bits"},
    {"ntohs", "uint16_t(uint16_t)", Runs::Body, "network to host order, 16 bits"},
    {"panic", "void()", Runs::Refused, "panic() stops the kernel: there is no source that can"},
    {"print", "void(void *)", Runs::Refused, "print() is not there yet: use trace() or tracemem()"},
    {"printa", "void([string], @, ...)", Runs::Record, "prints aggregations"},
    {"printf", "void(string, ...)", Runs::Record, "prints values by a format"},
    {"progenyof", "int(pid_t)", Runs::Refused,
     "progenyof() is not there yet: every traced process descends from -c or -p"},
    {"raise", "void(int)", Runs::Destructive, "sends the process a signal"},
    {"rand", "int()", Runs::Body, "pseudo-random number"},
    {"rindex", "int(string, string, [int])", Runs::Body, "where a string last occurs in another, or -1"},
    {"setopt", "void(string, [string])", Runs::Action, "sets an option while tracing"},
    {"speculate", "void(int)", Runs::Refused, "speculations are not there yet"},
    {"speculation", "int()", Runs::Refused, "speculations are not there yet"},
    {"stack", "stack([uint32_t])", Runs::Refused,
     "stack() shows the kernel's stack: it needs the kmod source; ustack() shows the program's"},
    {"stop", "void()", Runs::Destructive, "stops the process"},
    {"strchr", "string(string, char)", Runs::Body, "from the first such character on, or NULL"},
    {"strjoin", "string(string, string)", Runs::Body, "two strings in one"},
    {"strlen", "size_t(string)", Runs::Body, "length in bytes, no NUL"},
    {"strrchr", "string(string, char)", Runs::Body, "from the last such character on, or NULL"},
    {"strstr", "string(string, string)", Runs::Body, "from where a string occurs in another, or NULL"},
    {"strtok", "string(string, string)", Runs::Body, "next token of a string, or NULL"},
    {"substr", "string(string, int, [int])", Runs::Body, "part of a string"},
    {"sym", "_symaddr(uintptr_t)", Runs::Refused, "sym() resolves kernel addresses: it needs the kmod source"},
    {"system", "void(string, ...)", Runs::Destructive, "runs a shell command when the record is consumed"},
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
