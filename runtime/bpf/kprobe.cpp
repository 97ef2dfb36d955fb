// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/kprobe.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/bpf/bpf_call.h"

namespace sonde::bpf {
namespace {

/// The attributes of BPF_LINK_CREATE for many functions.
struct ManyAttributes {
  uint32_t program, target, attach_type, flags;
  uint32_t many_flags, count;
  uint64_t symbols, addresses, cookies;
};

/// What BPF_OBJ_GET_INFO_BY_FD says of such a link, which the headers of older systems lack.
struct ManyInfo {
  uint32_t type, id, program, padding;
  uint64_t addresses;
  uint32_t count, flags;
  uint64_t missed;
};

}  // namespace

Result<UprobeLink> find_kprobe_link() {
  const bpf_insn insns[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0}, {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  auto program = load_kprobe_program("probe", insns, UprobeLink::Many);
  const uint64_t nowhere = 1, cookie = 0;  // a kernel that has such links looks for the function first
  if (program) {
    auto link = attach_kprobes(program->get(), false, {&nowhere, 1}, {&cookie, 1});
    if (link || link.error().code() != EOPNOTSUPP) return UprobeLink::Many;
  }
  if (perf_type("kprobe") != 0) return UprobeLink::One;
  return Error("this kernel lets nobody into its functions: it was built without fprobe and kprobes", EOPNOTSUPP);
}

Result<UniqueFd> load_kprobe_program(const char* name, std::span<const bpf_insn> insns, UprobeLink link) {
  return load_program(name, insns, BPF_PROG_TYPE_KPROBE, link == UprobeLink::Many ? BPF_TRACE_KPROBE_MULTI : 0);
}

Result<UniqueFd> attach_kprobes(int program, bool returns, std::span<const uint64_t> addresses,
                                std::span<const uint64_t> cookies) {
  ManyAttributes attributes{};
  attributes.program = static_cast<uint32_t>(program);
  attributes.attach_type = BPF_TRACE_KPROBE_MULTI;
  attributes.many_flags = returns ? BPF_F_KPROBE_MULTI_RETURN : 0;
  attributes.count = static_cast<uint32_t>(addresses.size());
  attributes.addresses = address_of(addresses.data());
  attributes.cookies = address_of(cookies.data());
  const auto fd = static_cast<int>(syscall(SYS_bpf, BPF_LINK_CREATE, &attributes, sizeof attributes));
  if (fd < 0) return Error::from_errno("probes in the kernel");
  return UniqueFd(fd);
}

Result<UniqueFd> attach_one_kprobe(int program, bool returns, uint64_t address, uint64_t cookie) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = perf_type("kprobe");
  event.config = returns ? 1 : 0;
  event.config2 = address;
  return attach_by_event(program, event, cookie, "a probe in the kernel");
}

uint64_t kprobe_misses(int link) {
  ManyInfo info{};
  bpf_attr attributes{};
  attributes.info.bpf_fd = static_cast<uint32_t>(link);
  attributes.info.info_len = sizeof info;
  attributes.info.info = address_of(&info);
  if (syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attributes, sizeof attributes) != 0) return 0;
  return attributes.info.info_len >= sizeof info ? info.missed : 0;
}

}  // namespace sonde::bpf
