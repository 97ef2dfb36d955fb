// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/uprobe.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "runtime/bpf/bpf_call.h"

namespace sonde::bpf {
namespace {

constexpr uint32_t kAttachMany = 48;  ///< BPF_TRACE_UPROBE_MULTI, which the headers of older systems lack

/// The attributes of BPF_LINK_CREATE for many places.
struct ManyAttributes {
  uint32_t program, target, attach_type, flags;
  uint64_t path, offsets, counters, cookies;
  uint32_t count, many_flags, pid, reserved;
};

/// The same for one.
struct OneAttributes {
  uint32_t program, target, attach_type, flags;
  uint64_t cookie;
};

template <typename Attributes>
int create_link(const Attributes& attributes) {
  return static_cast<int>(syscall(SYS_bpf, BPF_LINK_CREATE, &attributes, sizeof attributes));
}

}  // namespace

uint32_t perf_type(const char* what) {
  std::ifstream file("/sys/bus/event_source/devices/" + std::string(what) + "/type");
  uint32_t type = 0;
  file >> type;
  return type;
}

Result<UniqueFd> attach_by_event(int program, perf_event_attr& event, uint64_t cookie, const std::string& what) {
  const UniqueFd opened(static_cast<int>(syscall(SYS_perf_event_open, &event, -1, 0, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!opened) return Error::from_errno(what);
  const OneAttributes attributes{static_cast<uint32_t>(program), static_cast<uint32_t>(opened.get()), BPF_PERF_EVENT, 0,
                                 cookie};
  const int fd = create_link(attributes);  // which keeps the event
  if (fd < 0) return Error::from_errno(what);
  return UniqueFd(fd);
}

Result<UniqueFd> load_uprobe_program(const char* name, std::span<const bpf_insn> insns, UprobeLink link) {
  return load_program(name, insns, BPF_PROG_TYPE_KPROBE, link == UprobeLink::Many ? kAttachMany : 0);
}

Result<UniqueFd> attach_uprobes(int program, const std::string& path, std::span<const uint64_t> offsets,
                                std::span<const uint64_t> cookies, std::span<const uint64_t> counters) {
  ManyAttributes attributes{};
  attributes.program = static_cast<uint32_t>(program);
  attributes.attach_type = kAttachMany;
  attributes.path = address_of(path.c_str());
  attributes.offsets = address_of(offsets.data());
  attributes.cookies = address_of(cookies.data());
  attributes.counters = counters.empty() ? 0 : address_of(counters.data());
  attributes.count = static_cast<uint32_t>(offsets.size());
  const int fd = create_link(attributes);
  if (fd < 0) return Error::from_errno("probes in " + path);
  return UniqueFd(fd);
}

Result<UniqueFd> attach_one_uprobe(int program, const std::string& path, uint64_t offset, uint64_t cookie,
                                   uint64_t counter) {
  constexpr int kCounterShift = 32;
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = perf_type("uprobe");
  if (event.type == 0) return Error("this kernel has no uprobes", ENOSYS);
  event.config1 = address_of(path.c_str());
  event.config2 = offset;
  if (counter > UINT32_MAX) return Error("the counter of " + path + " is beyond its first 4 GiB", EINVAL);
  event.config = counter << kCounterShift;
  return attach_by_event(program, event, cookie, "a probe in " + path);
}

bool has_uprobe_links() {
  // An old kernel loads a program for what it does not know, and refuses the link: EINVAL. A new one looks at the path.
  const bpf_insn insns[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0}, {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  auto program = load_uprobe_program("probe", insns, UprobeLink::Many);
  if (!program) return false;
  const uint64_t offset = 0, cookie = 0;
  const auto link = attach_uprobes(program->get(), "/nowhere", {&offset, 1}, {&cookie, 1}, {});
  return !link && link.error().code() == ENOENT;
}

}  // namespace sonde::bpf
