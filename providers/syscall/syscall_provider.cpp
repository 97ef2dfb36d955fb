// SPDX-License-Identifier: GPL-3.0-or-later
// syscall:vmlinux:NAME:entry and :return, of every system call in runtime/process/syscall_table.h
//
// A call that only 32-bit code has (waitpid, socketcall) is a probe if the source can trace those. A number without a
// name has the probe syscall_0x258, made when a description names it or the consumer meets it; syscall_0x stands for
// all of them, so that descriptions such as syscall::: match what nobody has met yet. An enabled probe has one tap. At the entry argN are the call's arguments, and args[N] have the kernel's types; at the return arg0 and arg1
// are the result, -1 if the call failed, with errno set.
#include <cstdio>
#include <string>

#include "providers/provider_entry.h"
#include "providers/stability.h"
#include "providers/tap_probes.h"
#include "runtime/process/syscall_table.h"

namespace sonde {
namespace {

constexpr char kModule[] = "vmlinux";

dtrace_provider_id_t g_provider = 0;

/// A probe's argument: the call's number, the one that is given in an unnamed call, and the side, encoded in the pointer
/// itself.
struct Side {
  uint32_t number, given;
  bool returns;

  void* pack() const {
    return reinterpret_cast<void*>((uintptr_t{given} << 32 | uintptr_t{number} << 1 | (returns ? 1 : 0)) + 1);
  }
  static Side unpack(void* parg) {
    const uintptr_t value = reinterpret_cast<uintptr_t>(parg) - 1;
    return {static_cast<uint32_t>(value) >> 1, static_cast<uint32_t>(value >> 32), (value & 1) != 0};
  }
};

void create(const char* name, uint32_t number, uint32_t given) {
  dtrace_probe_create(g_provider, kModule, name, "entry", 0, Side{number, given, false}.pack());
  dtrace_probe_create(g_provider, kModule, name, "return", 0, Side{number, given, true}.pack());
}

/// The description matches no probe yet: it may name a number without a name.
void provide_unnamed(const dtrace_probedesc_t& spec) {
  const auto number = number_of_unnamed(spec.dtpd_func);
  if (!number || sonde_glob_match(spec.dtpd_provider, "syscall") == 0) return;
  const uint32_t native = syscall_of_native(*number), compat = syscall_of_compat(*number);
  if (sonde_unnamed_calls_possible() == 0) {
    sonde_provide_error("D_PDESC_ZERO", "this source does not see system calls whose number has no name");
  } else if (native == kUnnamedCall || compat == kUnnamedCall) {
    create(spec.dtpd_func, kUnnamedCall, *number);
  } else {
    const std::string name = find_syscall(native)->name, other = find_syscall(compat)->name;
    sonde_provide_error(
        "D_PDESC_ZERO",
        ("the call of this number has a name: " + name + (other == name ? "" : ", in 32-bit code " + other)).c_str());
  }
}

void provide(void*, const dtrace_probedesc_t* spec) {
  if (spec != nullptr) return provide_unnamed(*spec);
  const bool compat = sonde_compat_calls_possible() != 0;
  for (const SyscallInfo& call : syscall_table()) {
    if (call.number >= kCompatCalls && !compat) break;
    create(call.name, call.number, 0);
  }
  if (sonde_unnamed_calls_possible() != 0) create(unnamed_call({}).c_str(), kUnnamedCall, 0);
}

void enable(void*, dtrace_id_t id, void* parg) {
  const Side side = Side::unpack(parg);
  const sonde_tap_kind kind = side.returns ? SONDE_TAP_SYSCALL_RETURN : SONDE_TAP_SYSCALL_ENTRY;
  const sonde_tap_request request = {.size = sizeof request, .kind = kind, .number = side.number, .offset = side.given};
  sonde_tap_arm(id, &request);
}

void getargdesc(void*, dtrace_id_t, void* parg, dtrace_argdesc_t* desc) {
  const Side side = Side::unpack(parg);
  const auto index = static_cast<size_t>(desc->dtargd_ndx);
  desc->dtargd_mapping = desc->dtargd_ndx;
  const SyscallInfo* call = find_syscall(side.number);
  if (side.returns && index < 2) {
    std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "long");
  } else if (side.returns || call == nullptr || index >= call->argument_count) {
    desc->dtargd_ndx = DTRACE_ARGNONE;
  } else {
    std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "%s", call->parameters[index].type);
    std::snprintf(desc->dtargd_name, sizeof desc->dtargd_name, "%s", call->parameters[index].name);
  }
}

}  // namespace
}  // namespace sonde

extern "C" int sonde_syscall_register(void) {
  using namespace sonde;
  const dtrace_pattr_t attributes = {kEvolvingCommon, kPrivate, kPrivate, kEvolvingCommon, kUnstable};
  const dtrace_pops_t ops = {.dtps_provide = provide,
                             .dtps_enable = enable,
                             .dtps_disable = tap_probes::disarm,
                             .dtps_getargdesc = getargdesc,
                             .dtps_destroy = tap_probes::nothing};
  return dtrace_register("syscall", &attributes, DTRACE_PRIV_USER, nullptr, &ops, nullptr, &g_provider);
}

extern "C" void sonde_syscall_unregister(void) { dtrace_unregister(sonde::g_provider); }
