// SPDX-License-Identifier: GPL-3.0-or-later
// What doctor says of machines that are made of a folder
#include "cli/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>

#include <algorithm>
#include <cerrno>

#include "tests/cli/folder.h"

namespace sonde {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using State = Finding::State;

constexpr uint64_t kTraces = uint64_t{1} << CAP_SYS_PTRACE;
constexpr char kRelease[] = "6.1.0-50-amd64";

class Doctor : public ::testing::Test {
 protected:
  Doctor() {
    machine.root = std::filesystem::current_path();
    put("/proc/sys/kernel/osrelease", std::string(kRelease) + "\n");
    machine.sources.device_error = ENOENT;
    machine.sources.machine_lacks = "only root may";
    machine.capabilities = kTraces;
  }

  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((machine.root + path).substr(0, (machine.root + path).rfind('/')));
    std::ofstream(machine.root + path) << text;
  }

  Finding of(const std::string& name) const {
    const std::vector<Finding> all = examine(machine, "");
    const auto one = std::ranges::find(all, name, &Finding::name);
    return one == all.end() ? Finding{"", "none", State::Lacks, ""} : *one;
  }

  Folder folder;
  Machine machine;
};

TEST_F(Doctor, PtraceWorks) {
  EXPECT_EQ(of("ptrace").state, State::Works);
  EXPECT_EQ(doctor_status(examine(machine, "")), 0);
  EXPECT_THAT(doctor_text(examine(machine, "")),
              StartsWith("sonde is ready to trace programs\n\nevent sources\n  works  ptrace"));
}

TEST_F(Doctor, AFilterDeniesPtrace) {
  machine.sources.trace_error = EPERM;
  EXPECT_THAT(of("ptrace").text, AllOf(HasSubstr("Operation not permitted"), ::testing::Not(HasSubstr("seccomp"))));
  machine.sources.filtered = true;
  EXPECT_THAT(of("ptrace").text, HasSubstr("a seccomp filter is on this process"));
  EXPECT_EQ(of("ptrace").state, State::Lacks);
  EXPECT_EQ(doctor_status(examine(machine, "")), 1);
  EXPECT_THAT(doctor_text(examine(machine, "")), StartsWith("sonde can trace nothing here\n"));
  machine.sources.device_error = 0;
  EXPECT_EQ(doctor_status(examine(machine, "")), 0) << "the other source works";
  machine.sources.device_error = ENOENT;
  machine.sources.machine_lacks = "";
  EXPECT_EQ(doctor_status(examine(machine, "")), 0) << "the third one works";
}

TEST_F(Doctor, ModprobeIsNamedOnlyWhereThereIsAModule) {
  EXPECT_EQ(of("kmod").command, "");
  EXPECT_EQ(of("module").command, "");
  put("/lib/modules/" + std::string(kRelease) + "/modules.dep",
      "kernel/fs/xsonde.ko:\nkernel/sonde/other.ko: updates/sonde.ko\n");
  EXPECT_EQ(of("kmod").command, "");
  put("/lib/modules/" + std::string(kRelease) + "/modules.dep", "kernel/fs/ext4.ko:\nupdates/dkms/sonde.ko.xz: a b\n");
  EXPECT_EQ(of("kmod").command, "modprobe sonde");
  EXPECT_EQ(of("module").command, "modprobe sonde");
  machine.uid = 1000;
  EXPECT_EQ(of("module").command, "sudo modprobe sonde");
  put("/sys/module/sonde/version", "1");
  EXPECT_EQ(of("module").state, State::Works);
}

TEST_F(Doctor, TheDeviceIsNotForThisUser) {
  machine.sources.device_error = EACCES;
  EXPECT_THAT(of("kmod").command, HasSubstr("usermod -aG"));
  machine.sources.device_error = EBUSY;
  EXPECT_THAT(of("kmod").text, HasSubstr("Device or resource busy"));
  machine.sources.device_error = 0;
  EXPECT_EQ(of("kmod").state, State::Works);
}

TEST_F(Doctor, AStockKernel) {
  EXPECT_EQ(of("bpf").state, State::Lacks);
  EXPECT_EQ(of("bpf").text, "only root may");
  machine.sources.machine_lacks = "";
  EXPECT_EQ(of("bpf").state, State::Works);
}

TEST_F(Doctor, Privileges) {
  EXPECT_EQ(of("user").text, "root");
  machine.capabilities = 0;
  EXPECT_THAT(of("user").text, HasSubstr("root without the capability CAP_SYS_PTRACE"));
  machine.uid = 1000;
  EXPECT_EQ(of("user").text, "uid 1000: your own processes; root traces all");
  machine.capabilities = kTraces;
  EXPECT_EQ(of("user").text, "uid 1000 with CAP_SYS_PTRACE: any process");
}

TEST_F(Doctor, Yama) {
  EXPECT_EQ(of("Yama").state, State::Works);
  for (const auto& [scope, text, command] :
       {std::tuple("1", "-p reaches only descendants", "ptrace_scope=0"),
        std::tuple("2", "only root may trace", "ptrace_scope=1"), std::tuple("3", "nobody may trace", "")}) {
    put("/proc/sys/kernel/yama/ptrace_scope", std::string(scope) + "\n");
    machine.capabilities = 0;
    EXPECT_EQ(of("Yama").state, State::Lacks) << scope;
    EXPECT_THAT(of("Yama").text, HasSubstr(text));
    EXPECT_THAT(of("Yama").command, HasSubstr(command));
    machine.capabilities = kTraces;
    EXPECT_EQ(of("Yama").state, std::string(scope) == "3" ? State::Lacks : State::Works) << scope;
  }
}

TEST_F(Doctor, TheClockOfProfileProbes) {
  put("/proc/sys/kernel/perf_event_paranoid", "3\n");
  EXPECT_EQ(of("perf clock").state, State::Works) << "what the kernel answers counts, not the file";
  machine.clock_error = EACCES;
  EXPECT_THAT(of("perf clock").command, HasSubstr("perf_event_paranoid=2"));
  put("/proc/sys/kernel/perf_event_paranoid", "2\n");
  EXPECT_EQ(of("perf clock").command, "") << "something else forbids it";
}

TEST_F(Doctor, Kernels) {
  for (const auto& [release, tested] :
       {std::pair("6.1.0-50-amd64", true), std::pair("6.12.3", true), std::pair("6.18.5", false),
        std::pair("6.1", true), std::pair("6.10.1", false), std::pair("5.10.0-46", true)}) {
    put("/proc/sys/kernel/osrelease", std::string(release) + "\n");
    EXPECT_EQ(of("kernel").state == State::Works, tested) << release;
    EXPECT_THAT(of("kernel").text, StartsWith(release));
  }
}

TEST_F(Doctor, Headers) {
  EXPECT_EQ(of("headers").command, "") << "no apt-get";
  put("/usr/bin/apt-get", "");
  EXPECT_EQ(of("headers").command, "apt-get install linux-headers-" + std::string(kRelease));
  put("/lib/modules/" + std::string(kRelease) + "/build/Makefile", "");
  EXPECT_EQ(of("headers").state, State::Works);
}

TEST_F(Doctor, SecureBootAndLockdown) {
  EXPECT_EQ(of("Secure Boot").state, State::Works);
  put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
  EXPECT_EQ(of("Secure Boot").state, State::Works);
  put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
  EXPECT_THAT(of("Secure Boot").text, StartsWith("off, lockdown is integrity"));
  put("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", std::string("\6\0\0\0\1", 5));
  EXPECT_THAT(of("Secure Boot").text, StartsWith("on, lockdown is integrity"));
  EXPECT_THAT(of("Secure Boot").command, HasSubstr("mokutil"));
}

TEST_F(Doctor, TypesOfTheKernel) {
  EXPECT_EQ(of("BTF").state, State::Lacks);
  put("/sys/kernel/btf/vmlinux", "x");
  EXPECT_EQ(of("BTF").state, State::Works);
}

TEST_F(Doctor, TheTerminal) {
  EXPECT_THAT(of("output").text, HasSubstr("a file or a pipe"));
  machine.terminal = true;
  machine.term = "xterm";
  machine.columns = 80;
  EXPECT_EQ(of("output").text, "xterm, 80 columns");
  machine.no_colour = true;
  EXPECT_THAT(of("output").text, HasSubstr("NO_COLOR"));
  machine.no_colour = false;
  machine.term = "dumb";
  EXPECT_THAT(of("output").text, HasSubstr("plain text"));
}

TEST_F(Doctor, AProgram) {
  const auto about = [this](const std::string& program) {
    std::string text;
    for (const Finding& one : examine(machine, program))
      if (one.group == "programs") text += one.name + ": " + one.text + "\n";
    return text;
  };
  EXPECT_THAT(about("/proc/self/exe"), HasSubstr("symbols: /proc/self/exe names "));
  EXPECT_THAT(about(folder.write("text", "no program")), HasSubstr("text: "));
  EXPECT_EQ(about(""), "");
}

TEST_F(Doctor, JsonHasWhatTheTextHas) {
  put("/usr/bin/apt-get", "");
  const std::string json = doctor_json(examine(machine, ""));
  EXPECT_THAT(json,
              StartsWith(R"({"ready":true,"findings":[{"group":"event sources","name":"ptrace","state":"works",)"));
  EXPECT_THAT(json, HasSubstr(R"("command":"apt-get install linux-headers-6.1.0-50-amd64")"));
  EXPECT_EQ(std::ranges::count(json, '\n'), 1);
  for (const Finding& one : examine(machine, "")) {
    EXPECT_THAT(json, HasSubstr("\"name\":\"" + one.name + "\""));
    EXPECT_THAT(doctor_text(examine(machine, "")), HasSubstr(one.text));
  }
}

}  // namespace
}  // namespace sonde
