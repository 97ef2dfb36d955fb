// SPDX-License-Identifier: GPL-3.0-or-later
// syscall:vmlinux:NAME:entry and :return, of every system call in runtime/process/syscall_table.h
//
// A call that only 32-bit code has (waitpid, socketcall) is a probe if the source can trace those. An enabled probe has
// one tap. At the entry argN are the call's arguments, and args[N] have the kernel's types; at the return arg0 and arg1
// are the result, -1 if the call failed, with errno set.
#include <cstdio>

#include "providers/provider_entry.h"
#include "providers/stability.h"
#include "runtime/process/syscall_table.h"

namespace sonde {
namespace {

constexpr char kModule[] = "vmlinux";

dtrace_provider_id_t g_provider = 0;

/// A probe's argument: the call's number and the side, encoded in the pointer itself.
struct Side {
  uint32_t number;
  bool returns;

  void* pack() const { return reinterpret_cast<void*>((uintptr_t{number} << 1 | (returns ? 1 : 0)) + 1); }
  static Side unpack(void* parg) {
    const uintptr_t value = reinterpret_cast<uintptr_t>(parg) - 1;
    return {static_cast<uint32_t>(value >> 1), (value & 1) != 0};
  }
};

void provide(void*, const dtrace_probedesc_t* spec) {
  if (spec != nullptr) return;
  const bool compat = sonde_compat_calls_possible() != 0;
  for (const SyscallInfo& call : syscall_table()) {
    if (call.number >= kCompatCalls && !compat) break;
    dtrace_probe_create(g_provider, kModule, call.name, "entry", 0, Side{call.number, false}.pack());
    dtrace_probe_create(g_provider, kModule, call.name, "return", 0, Side{call.number, true}.pack());
  }
}

void enable(void*, dtrace_id_t id, void* parg) {
  const Side side = Side::unpack(parg);
  const sonde_tap_kind kind = side.returns ? SONDE_TAP_SYSCALL_RETURN : SONDE_TAP_SYSCALL_ENTRY;
  const sonde_tap_request request = {.size = sizeof request, .kind = kind, .number = side.number};
  sonde_tap_arm(id, &request);
}

void disable(void*, dtrace_id_t id, void*) { sonde_tap_disarm(id); }
void destroy(void*, dtrace_id_t, void*) {}

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
                             .dtps_disable = disable,
                             .dtps_getargdesc = getargdesc,
                             .dtps_destroy = destroy};
  return dtrace_register("syscall", &attributes, DTRACE_PRIV_USER, nullptr, &ops, nullptr, &g_provider);
}

extern "C" void sonde_syscall_unregister(void) { dtrace_unregister(sonde::g_provider); }
