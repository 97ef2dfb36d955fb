// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/doctor.h"

#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "runtime/base/path_search.h"
#include "runtime/base/unique_fd.h"
#include "runtime/print/json.h"
#include "runtime/process/debug_file.h"
#include "runtime/process/elf_file.h"
#include "runtime/source/own_rights.h"

namespace sonde {
namespace {

using State = Finding::State;

/// The kernels on which the module is tested: docs/kernel-module.md.
constexpr std::array<std::string_view, 5> kTestedKernels = {"5.10", "6.1", "6.12", "7.2", "7.3"};
constexpr std::string_view kSources = "event sources", kPrivileges = "privileges", kModule = "kernel module",
                           kPrograms = "programs", kTerminal = "terminal";

/// The first line of a file below the root; empty: there is none.
std::string line_of(const Machine& machine, const std::string& path) {
  std::string line;
  std::getline(std::ifstream(machine.root + path), line);
  return line;
}

bool exists(const Machine& machine, const std::string& path) {
  struct stat status {};
  return ::stat((machine.root + path).c_str(), &status) == 0;
}

/// Whether it is there cannot be seen: a folder on the way is closed to this user.
bool is_closed(const Machine& machine, const std::string& path) {
  return ::access((machine.root + path).c_str(), R_OK) != 0 && errno == EACCES;
}

bool has(const Machine& machine, unsigned capability) { return (machine.capabilities >> capability & 1) != 0; }

std::string names_of_kernels() {
  std::string names;
  for (std::string_view one : kTestedKernels) names += (names.empty() ? "" : ", ") + std::string(one);
  return names;
}

bool is_tested(std::string_view release) {
  return std::ranges::any_of(kTestedKernels, [&](std::string_view one) {
    return release.starts_with(one) && (release.size() == one.size() || release[one.size()] == '.');
  });
}

/// A command that only root may type.
std::string as_root(const Machine& machine, const std::string& command) {
  return (machine.uid == 0 ? "" : "sudo ") + command;
}

std::vector<Finding> sources(const Machine& machine) {
  std::vector<Finding> found;
  for (const SourceReadiness& one : source_readiness(machine.sources, machine.root))
    found.push_back({std::string(kSources), one.name, one.works ? State::Works : State::Lacks, one.text,
                     one.command.empty() ? "" : as_root(machine, one.command)});
  return found;
}

Finding identity(const Machine& machine) {
  Finding found{std::string(kPrivileges), "user", State::Works, "root"};
  if (machine.uid == 0 && has(machine, CAP_SYS_PTRACE)) return found;
  if (machine.uid == 0) {
    found.state = State::Lacks;
    found.text = "root without the capability CAP_SYS_PTRACE, as in a container: only your own processes";
  } else if (has(machine, CAP_SYS_PTRACE)) {
    found.text = "uid " + std::to_string(machine.uid) + " with CAP_SYS_PTRACE: any process";
  } else {
    found.state = State::Note;
    found.text = "uid " + std::to_string(machine.uid) + ": your own processes; root traces all";
  }
  return found;
}

Finding yama(const Machine& machine) {
  const std::string scope = line_of(machine, "/proc/sys/kernel/yama/ptrace_scope");
  Finding found{std::string(kPrivileges), "Yama", State::Works, "does not restrict -p"};
  if (scope.empty() || scope == "0") return found;
  const std::string value = "ptrace_scope is " + scope + ": ";
  if (scope == "3") {
    found.state = State::Lacks;
    found.text = value + "nobody may trace until the next boot";
  } else if (!has(machine, CAP_SYS_PTRACE)) {
    found.state = State::Lacks;
    found.text =
        value + (scope == "1" ? "-p reaches only descendants of sonde; sonde PROGRAM works" : "only root may trace");
    found.command =
        as_root(machine, scope == "1" ? "sysctl kernel.yama.ptrace_scope=0" : "sysctl kernel.yama.ptrace_scope=1");
  } else {
    found.text = value + "you have CAP_SYS_PTRACE, which it does not restrict";
  }
  return found;
}

Finding clock(const Machine& machine) {
  const std::string paranoid = line_of(machine, "/proc/sys/kernel/perf_event_paranoid");
  Finding found{std::string(kPrivileges), "perf clock", State::Works, "profile probes sample by processor time"};
  if (machine.clock_error == 0) return found;
  found.state = State::Lacks;
  found.text = std::string("profile probes are less exact: perf_event_open() gives ") +
               std::strerror(machine.clock_error) + (paranoid.empty() ? "" : "; perf_event_paranoid is " + paranoid);
  if (!paranoid.empty() && std::atoi(paranoid.c_str()) > 2)
    found.command = as_root(machine, "sysctl kernel.perf_event_paranoid=2");
  return found;
}

Finding kernel(const Machine& machine) {
  const std::string release = kernel_release(machine.root);
  const bool tested = is_tested(release);
  return {std::string(kModule), "kernel", tested ? State::Works : State::Note,
          release + (tested ? ""
                            : ": the module is tested on " + names_of_kernels() +
                                  "; on others it uses only functions whose signature BTF confirms")};
}

Finding headers(const Machine& machine) {
  const std::string release = kernel_release(machine.root);
  const std::string build = "/lib/modules/" + release + "/build";
  if (is_closed(machine, build))
    return {
        std::string(kModule), "headers", State::Note,
        "whether the module can be built is not known: uid " + std::to_string(machine.uid) + " cannot read " + build,
        as_root(machine, "sonde doctor")};
  if (exists(machine, build))
    return {std::string(kModule), "headers", State::Works,
            std::string("the module can be built: ") + kHowToBuildModule};
  Finding found{std::string(kModule), "headers", State::Note, "the module cannot be built: no headers of this kernel"};
  if (exists(machine, "/usr/bin/apt-get")) found.command = as_root(machine, "apt-get install linux-headers-" + release);
  return found;
}

Finding module(const Machine& machine) {
  const std::string release = kernel_release(machine.root);
  if (exists(machine, "/sys/module/sonde")) return {std::string(kModule), "module", State::Works, "loaded"};
  if (module_is_installed(release, machine.root))
    return {std::string(kModule), "module", State::Note, "installed, not loaded", as_root(machine, "modprobe sonde")};
  return {std::string(kModule), "module", State::Note, std::string("not installed: ") + kHowToBuildModule, ""};
}

/// "integrity" of "none [integrity] confidentiality".
std::string lockdown_of(const Machine& machine) {
  const std::string line = line_of(machine, "/sys/kernel/security/lockdown");
  const size_t open = line.find('['), close = line.find(']');
  return open == std::string::npos || close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

Finding secure_boot(const Machine& machine) {
  std::ifstream variable(machine.root + "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
                         std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(variable), {}};
  const bool on = bytes.size() >= 5 && bytes[4] == 1;
  const std::string lockdown = lockdown_of(machine);
  if (!on && (lockdown.empty() || lockdown == "none"))
    return {std::string(kModule), "Secure Boot", State::Works, "off, and no lockdown: the module needs no signature"};
  return {std::string(kModule), "Secure Boot", State::Note,
          std::string(on ? "on" : "off") + (lockdown.empty() ? "" : ", lockdown is " + lockdown) +
              ": the module must be signed with a key that is enrolled",
          as_root(machine, "mokutil --import /var/lib/dkms/mok.pub")};
}

Finding btf(const Machine& machine) {
  if (exists(machine, "/sys/kernel/btf/vmlinux"))
    return {std::string(kModule), "BTF", State::Works, "scripts can name the kernel's structures"};
  return {std::string(kModule), "BTF", State::Lacks,
          "no /sys/kernel/btf/vmlinux: scripts cannot name the kernel's structures"};
}

/// The symbols and the debug information of a program.
std::vector<Finding> program_findings(const std::string& name) {
  const std::string path = search_path(name).value_or(name);
  const auto elf = ElfFile::open(path);
  const std::string group(kPrograms);
  if (!elf) return {{group, name, State::Lacks, path + ": " + elf.error().message()}};
  std::vector<Finding> found;
  if ((*elf)->functions().empty())
    found.push_back({group, "symbols", State::Lacks, path + " is stripped: its functions have no names"});
  else if ((*elf)->exported_only())
    found.push_back({group, "symbols", State::Lacks, path + " is stripped of all symbols but those that it exports"});
  else
    found.push_back(
        {group, "symbols", State::Works, path + " names " + std::to_string((*elf)->functions().size()) + " functions"});
  if (open_debug_file(path))
    found.push_back({group, "debug information", State::Works, "args[] have names and types"});
  else
    found.push_back({group, "debug information", State::Lacks,
                     "none: args[] are numbers only (arg0 ... arg9); compile with -g, or install the -dbgsym package"});
  return found;
}

Finding terminal(const Machine& machine) {
  const std::string group(kTerminal);
  if (!machine.terminal) return {group, "output", State::Note, "goes to a file or a pipe: plain text"};
  const std::string kind = machine.term.empty() ? "of no known kind" : machine.term;
  const std::string size = machine.columns > 0 ? ", " + std::to_string(machine.columns) + " columns" : "";
  if (machine.no_colour) return {group, "output", State::Note, kind + size + "; NO_COLOR is set: no colour"};
  if (machine.term.empty() || machine.term == "dumb")
    return {group, "output", State::Note, kind + size + ": plain text"};
  return {group, "output", State::Works, kind + size};
}

std::string_view word_of(State state) {
  switch (state) {
    case State::Works: return "works";
    case State::Lacks: return "lacks";
    case State::Note: return "note";
  }
  return {};
}

int try_clock() {
  perf_event_attr clock{};
  clock.size = sizeof clock;
  clock.type = PERF_TYPE_SOFTWARE;
  clock.config = PERF_COUNT_SW_TASK_CLOCK;
  clock.exclude_kernel = clock.exclude_hv = 1;
  const UniqueFd opened(static_cast<int>(::syscall(SYS_perf_event_open, &clock, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  return opened ? 0 : errno;
}

std::string text_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

Machine this_machine() {
  winsize size{};
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  if (terminal) (void)::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return {.root = "",
          .uid = ::geteuid(),
          .capabilities = effective_capabilities(),
          .sources = try_sources(),
          .clock_error = try_clock(),
          .terminal = terminal,
          .columns = size.ws_col,
          .term = text_of("TERM"),
          .no_colour = !text_of("NO_COLOR").empty()};
}

std::vector<Finding> examine(const Machine& machine, const std::string& program) {
  constexpr Finding (*kChecks[])(const Machine&) = {identity, yama, clock, kernel, headers, module, secure_boot, btf};
  std::vector<Finding> findings = sources(machine);
  for (const auto check : kChecks) findings.push_back(check(machine));
  if (!program.empty())
    for (Finding& one : program_findings(program)) findings.push_back(std::move(one));
  findings.push_back(terminal(machine));
  return findings;
}

std::string doctor_text(const std::vector<Finding>& findings) {
  std::string text =
      doctor_status(findings) == 0 ? "sonde is ready to trace programs\n" : "sonde can trace nothing here\n";
  std::string_view group;
  for (const Finding& one : findings) {
    if (one.group != group) text += "\n" + one.group + "\n";
    group = one.group;
    std::string line = "  " + std::string(word_of(one.state)) + "  " + one.name;
    line.resize(std::max<size_t>(line.size() + 2, 22), ' ');
    text += line + one.text + "\n";
    if (!one.command.empty()) text += std::string(22, ' ') + "type: " + one.command + "\n";
  }
  return text;
}

std::string doctor_json(const std::vector<Finding>& findings) {
  constexpr size_t kLongest = 1 << 20;
  std::string text;
  JsonLine line(text, kLongest);
  line.key("ready").boolean(doctor_status(findings) == 0);
  line.key("findings").open('[');
  for (const Finding& one : findings) {
    line.open('{');
    line.key("group").string(one.group);
    line.key("name").string(one.name);
    line.key("state").string(word_of(one.state));
    line.key("text").string(one.text);
    if (!one.command.empty()) line.key("command").string(one.command);
    line.close('}');
  }
  line.close(']');
  line.finish();
  return text;
}

int doctor_status(const std::vector<Finding>& findings) {
  const bool ready = std::ranges::any_of(
      findings, [](const Finding& one) { return one.group == kSources && one.state == State::Works; });
  return ready ? 0 : 1;
}

}  // namespace sonde
