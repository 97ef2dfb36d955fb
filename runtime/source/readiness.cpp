// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/readiness.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "runtime/base/unique_fd.h"
#include "runtime/source/capabilities.h"
#include "runtime/source/own_rights.h"
#include "runtime/utrace/trial.h"

namespace sonde {
namespace {

/// The number behind "Seccomp:" in our own status is 2.
bool has_filter() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Seccomp:")) return line.ends_with('2');
  return false;
}

SourceReadiness of_targets(const SourceTrial& trial) {
  SourceReadiness found{std::string(kPtraceRow.name), true,
                        "starts and traces programs: sonde PROGRAM; attaches to processes: sonde -p PID", ""};
  if (trial.trace_error == 0) return found;
  found.works = false;
  found.text = std::string("the kernel refuses ptrace: ") + std::strerror(trial.trace_error);
  if (trial.filtered) found.text += "; a seccomp filter is on this process, as in a container: permit ptrace there";
  return found;
}

SourceReadiness of_machine(const SourceTrial& trial, const std::string& root) {
  SourceReadiness found{std::string(kKmodRow.name), true, "traces the whole machine, and any process", ""};
  const int error = trial.device_error;
  if (error == 0) return found;
  found.works = false;
  if (error == EACCES || error == EPERM) {
    found.text = "you may not open /dev/sonde: run as root, or join the group of the device";
    found.command = "usermod -aG $(stat -c %G /dev/sonde) $USER";
  } else if (error != ENOENT && error != ENXIO && error != ENODEV) {
    found.text = std::string("/dev/sonde: ") + std::strerror(error);
  } else if (module_is_installed(kernel_release(root), root)) {
    found.text = "the kernel module is installed, but not loaded";
    found.command = "modprobe sonde";
  } else {
    found.text = "this kernel has no module";
  }
  return found;
}

SourceReadiness of_stock_kernel(const SourceTrial& trial) {
  const std::string& lacks = trial.machine_lacks;
  return {std::string(kBpfRow.name), lacks.empty(),
          lacks.empty() ? "traces the system calls of the whole machine, without the module" : lacks, ""};
}

}  // namespace

SourceTrial try_sources() {
  const int trace_error = try_to_trace();
  const UniqueFd device(open("/dev/sonde", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  const int device_error = device ? 0 : errno;
  const auto may = may_use_bpf();
  return {trace_error, device_error, may ? "" : may.error().message(), has_filter()};
}

std::vector<SourceReadiness> source_readiness(const SourceTrial& trial, const std::string& root) {
  return {of_targets(trial), of_machine(trial, root), of_stock_kernel(trial)};
}

std::string kernel_release(const std::string& root) {
  std::string release;
  std::ifstream file(root + "/proc/sys/kernel/osrelease");
  std::getline(file, release);
  return release;
}

bool module_is_installed(const std::string& release, const std::string& root) {
  std::ifstream modules(root + "/lib/modules/" + release + "/modules.dep");  // "updates/dkms/sonde.ko.xz: ..."
  for (std::string line; std::getline(modules, line);) {
    const std::string path = "/" + line.substr(0, line.find(':'));
    if (path.find("/sonde.ko") != std::string::npos) return true;
  }
  return false;
}

}  // namespace sonde
