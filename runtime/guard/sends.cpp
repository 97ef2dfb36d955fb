// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/sends.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "kmod/shared/siginfo.h"
#include "runtime/base/procfs.h"
#include "runtime/guard/dif_env.h"
#include "runtime/guard/taps.h"
#include "runtime/utrace/thread_status.h"

namespace sonde::guard {
namespace {

constexpr size_t kInfoBytes = 48;                                // the part of a siginfo that has fields
constexpr int kSelfThread = -10000, kSelfProcess = -10001;       // PIDFD_SELF_*
constexpr uint64_t kToThread = 1, kToProcess = 2, kToGroup = 4;  // PIDFD_SIGNAL_*

struct Receiver {
  pid_t pid;
  pid_t tid;  ///< 0: a group
};

/// The number in a line of a file that `format` matches; 0: there is none.
pid_t number_in(const std::string& path, const char* format) {
  char line[256];
  int found = 0;
  FILE* file = std::fopen(path.c_str(), "re");
  while (file != nullptr && found <= 0 && std::fgets(line, sizeof line, file)) std::sscanf(line, format, &found);
  if (file != nullptr) std::fclose(file);
  return found;
}

/// The process of a thread; the thread's own number if it is gone.
pid_t process_of(pid_t tid) {
  const pid_t pid = number_in("/proc/" + std::to_string(tid) + "/status", "Tgid: %d");
  return pid > 0 ? pid : tid;
}

Receiver to_process(pid_t any_thread) {
  const pid_t pid = process_of(any_thread);
  return {pid, pid};
}

Receiver to_group(pid_t group) { return {-group, 0}; }

/// Interprets the first argument of kill().
Receiver by_kill(const Thread& sender, pid_t number) {
  if (number > 0) return to_process(number);
  return number == 0 ? to_group(getpgid(sender.process->pid)) : Receiver{number, 0};
}

/// The thread or process of a pidfd. A descriptor of the directory /proc/PID serves as a pidfd, too.
pid_t of_pidfd(const Thread& sender, int fd) {
  if (fd == kSelfThread) return sender.tid;
  if (fd == kSelfProcess) return sender.process->pid;
  const std::string self = "/proc/" + std::to_string(sender.tid);
  const pid_t pid = number_in(self + "/fdinfo/" + std::to_string(fd), "Pid: %d");
  if (pid != 0) return pid;
  const std::string target = read_link(self + "/fd/" + std::to_string(fd));
  const size_t slash = target.rfind('/');
  return slash != target.npos ? std::atoi(target.c_str() + slash + 1) : 0;
}

Receiver by_pidfd(const Thread& sender, int fd, uint64_t flags) {
  const pid_t tid = of_pidfd(sender, fd), pid = process_of(tid);
  if ((flags & kToGroup) != 0) return to_group(tid);  // the process group with that leader
  const bool thread = (flags & kToThread) != 0 || (tid != pid && (flags & kToProcess) == 0) || fd == kSelfThread;
  return {pid, thread ? tid : pid};
}

/// The siginfo that the kernel makes for kill() and tkill().
siginfo_t plain_info(const Thread& sender, int code) {
  siginfo_t info{};
  ThreadStatus status;
  read_status(sender.tid, &status);
  info.si_code = code;
  info.si_pid = sender.process->pid;
  info.si_uid = status.uid;
  return info;
}

siginfo_t info_at(const Thread& sender, uint64_t address) {
  siginfo_t info{};
  read_target(sender, address, &info, kInfoBytes);
  return info;
}

Firing firing_of(uint64_t call, int signal, Receiver receiver, const siginfo_t& info) {
  Firing firing;
  firing.call = static_cast<int64_t>(call);
  sonde_siginfo_args(firing.args.data(), signal, info.si_errno, info.si_code, &info._sifields);
  sonde_receiver_args(firing.args.data(), receiver.pid, receiver.tid);
  return firing;
}

}  // namespace

std::optional<Firing> send_of(const Thread& sender, const utrace_call& made) {
  const uint32_t call = call_of_number(made.number);
  const uint64_t* arguments = made.arguments;
  const auto first = static_cast<pid_t>(arguments[0]), second = static_cast<pid_t>(arguments[1]);
  const auto signal = static_cast<int>(arguments[call == SYS_tgkill || call == SYS_rt_tgsigqueueinfo ? 2 : 1]);
  if (made.result != 0 || signal == 0) return {};
  const auto firing = [&](Receiver receiver, const siginfo_t& info) { return firing_of(call, signal, receiver, info); };
  const auto given = [&](uint64_t address, int code) {
    return address != 0 && made.number < kUtraceCompatCalls ? info_at(sender, address) : plain_info(sender, code);
  };
  switch (call) {
    case SYS_kill: return firing(by_kill(sender, first), plain_info(sender, SI_USER));
    case SYS_tkill: return firing({process_of(first), first}, plain_info(sender, SI_TKILL));
    case SYS_tgkill: return firing({first, second}, plain_info(sender, SI_TKILL));
    case SYS_rt_sigqueueinfo: return firing(to_process(first), given(arguments[2], SI_QUEUE));
    case SYS_rt_tgsigqueueinfo: return firing({first, second}, given(arguments[3], SI_QUEUE));
    case SYS_pidfd_send_signal: {
      const Receiver receiver = by_pidfd(sender, first, arguments[3]);
      const bool thread = receiver.tid != receiver.pid && receiver.tid != 0;
      return firing(receiver, given(arguments[2], thread ? SI_TKILL : SI_USER));
    }
    default: return {};
  }
}

std::optional<Firing> last_send_of(const Thread& sender, const utrace_call& made) {
  auto send = send_of(sender, made);
  if (!send || send->args[SONDE_ARG_SIGNAL_SEND_NUMBER] != SIGKILL) return {};
  const auto receiver = static_cast<pid_t>(send->args[SONDE_ARG_SIGNAL_SEND_RECEIVER_PID]);
  const pid_t own = sender.process->pid;
  return receiver == own || receiver == -getpgid(own) ? send : std::nullopt;
}

}  // namespace sonde::guard
