// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/own_rights.h"

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "runtime/bpf/bpf_call.h"
#include "runtime/source/readiness.h"

namespace sonde {
namespace {

constexpr int kLeastMajor = 6, kLeastMinor = 1;
constexpr unsigned long kFirstPidNamespace = 0xeffffffc;  ///< the inode that the kernel gives it

struct Right {
  unsigned number;
  const char* name;
};
constexpr Right kRights[] = {{CAP_BPF, "CAP_BPF"}, {CAP_PERFMON, "CAP_PERFMON"}, {CAP_SYS_PTRACE, "CAP_SYS_PTRACE"}};

std::string missing_rights() {
  std::string missing;
  for (const Right& right : kRights) {
    const bool implied = right.number != CAP_SYS_PTRACE && has_capability(CAP_SYS_ADMIN);
    if (implied || has_capability(right.number)) continue;
    missing += (missing.empty() ? "" : ", ") + std::string(right.name);
  }
  return missing;
}

bool is_old(const std::string& release) {
  int major = 0, minor = 0;
  if (std::sscanf(release.c_str(), "%d.%d", &major, &minor) != 2) return false;
  return major < kLeastMajor || (major == kLeastMajor && minor < kLeastMinor);
}

/// Loads a program that does nothing: a user namespace, a seccomp filter or a lockdown may refuse what our rights promise.
Result<void> try_to_load() {
  const bpf_insn nothing[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0}, {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  auto program = bpf::load_program("trial", nothing);
  if (!program) return std::move(program).error().context("the kernel takes no programs");
  return {};
}

bool in_pid_namespace() {
  struct stat status = {};
  return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != kFirstPidNamespace;
}

}  // namespace

uint64_t effective_capabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, data) != 0) return 0;
  return data[0].effective | uint64_t{data[1].effective} << 32;
}

bool has_capability(unsigned number) { return (effective_capabilities() >> number & 1) != 0; }

Result<void> may_use_bpf(const std::string& root) {
  const std::string release = kernel_release(root);
  if (is_old(release))
    return Error("the eBPF of this kernel, " + release + ", is too old: Linux 6.1 is needed", ENOSYS);
  if (access((root + "/sys/kernel/btf/vmlinux").c_str(), F_OK) != 0)
    return Error("this kernel does not describe its structures: no /sys/kernel/btf/vmlinux", ENOENT);
  if (const std::string missing = missing_rights(); !missing.empty())
    return Error("without a module, only root may, or who has " + missing, EPERM);
  if (in_pid_namespace())
    return Error(
        "this is a container with process numbers of its own, and programs in the kernel see those of the machine",
        EPERM);
  return try_to_load();
}

}  // namespace sonde
