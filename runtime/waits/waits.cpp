// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/waits.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>

#include "runtime/base/procfs.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/syscall_table.h"
#include "runtime/waits/children.h"
#include "runtime/waits/descriptors.h"
#include "runtime/waits/file_locks.h"
#include "runtime/waits/futexes.h"
#include "runtime/waits/holders.h"

namespace sonde {
namespace {

Wait explain_sleep(Facts&, const ThreadFacts&) { return wait_outside("sleeps for a time that it has set itself"); }

Wait explain_signal_wait(Facts&, const ThreadFacts&) { return wait_outside("waits for a signal"); }

/// After a stop, the kernel goes on so with some calls, with or without a time-out: the arguments are those of that call.
Wait explain_restarted(Facts& facts, const ThreadFacts& thread) {
  if (thread.sleeps_in.starts_with("futex")) return explain_futex(facts, thread);
  if (thread.sleeps_in.starts_with("poll")) return explain_poll(facts, thread);
  return wait_outside("sleeps, with a time-out");
}

struct WaitingCall {
  std::string_view name;
  Wait (*explain)(Facts& facts, const ThreadFacts& thread);
};

constexpr auto kWaitingCalls = std::to_array<WaitingCall>({
    {"accept", explain_accept},
    {"accept4", explain_accept},
    {"clock_nanosleep", explain_sleep},
    {"clone", explain_vfork},
    {"clone3", explain_vfork},
    {"epoll_pwait", explain_epoll},
    {"epoll_pwait2", explain_epoll},
    {"epoll_wait", explain_epoll},
    {"fcntl", explain_fcntl},
    {"flock", explain_flock},
    {"futex", explain_futex},
    {"nanosleep", explain_sleep},
    {"open", explain_open},
    {"openat", explain_open},
    {"pause", explain_signal_wait},
    {"poll", explain_poll},
    {"ppoll", explain_poll},
    {"pselect6", explain_select},
    {"read", explain_read},
    {"readv", explain_read},
    {"recvfrom", explain_read},
    {"recvmsg", explain_read},
    {"restart_syscall", explain_restarted},
    {"rt_sigsuspend", explain_signal_wait},
    {"rt_sigtimedwait", explain_signal_wait},
    {"select", explain_select},
    {"sendmsg", explain_write},
    {"sendto", explain_write},
    {"vfork", explain_vfork},
    {"wait4", explain_wait4},
    {"waitid", explain_waitid},
    {"write", explain_write},
    {"writev", explain_write},
});

/// Of a thread in a call that is in no row.
Wait explain_other(const ThreadFacts& thread) {
  const SyscallInfo* call = find_syscall(*thread.call);
  return wait_outside("waits in " + (call == nullptr ? unnamed_call(*thread.call) : std::string(call->name)) +
                      "(), and for whom is not known");
}

/// None: it runs, or is about to.
std::optional<Wait> explain(Facts& facts, const ThreadFacts& thread) {
  if (thread.state == 'T') return wait_outside("is stopped by a signal until it gets SIGCONT");
  if (thread.state == 't')
    return wait_outside("is stopped by process " + std::to_string(facts.process(thread.pid).tracer) +
                        ", which traces it");
  if (thread.call_line.empty()) return wait_outside("cannot be looked at: /proc/PID/syscall cannot be read");
  if (thread.state == 'R' || thread.call_line == "running") return std::nullopt;
  if (!thread.call) return wait_outside("waits in the kernel, outside of a call: for a page of its memory, perhaps");
  if (runs_compat_program(thread.pid)) return wait_outside("waits in a call of 32-bit code, and for whom is not known");
  const SyscallInfo* call = find_syscall(*thread.call);
  const auto row =
      std::ranges::find(kWaitingCalls, call == nullptr ? "" : std::string_view(call->name), &WaitingCall::name);
  return row == kWaitingCalls.end() ? explain_other(thread) : row->explain(facts, thread);
}

class Look {
 public:
  /// A number may be that of a thread: its process is meant.
  explicit Look(std::span<const uint32_t> numbers) {
    for (uint32_t number : numbers) {
      const pid_t process = process_of_thread(static_cast<pid_t>(number));
      asked_.push_back(process == 0 ? number : static_cast<uint32_t>(process));
    }
  }

  Result<WaitPicture> take() {
    for (uint32_t pid : asked_) {
      if (auto seen = check_seen(pid); !seen) return std::move(seen).error();
      reach(pid);
    }
    for (; !next_.empty(); next_.pop_front()) look_at(next_.front());
    note_new_holders();
    for (const auto& [tid, wait] : picture_.waits)
      if (!unchanged(*known_.at(tid))) picture_.moved.insert(tid);
    std::erase_if(picture_.waits, [&](const auto& one) { return picture_.moved.contains(one.first); });
    return std::move(picture_);
  }

 private:
  Result<void> check_seen(uint32_t pid) {
    const std::string name = "process " + std::to_string(pid);
    const auto& threads = picture_.facts.threads_of(pid);
    if (threads.empty())
      return Error(name + (read_process(pid) ? " has ended: its parent has not waited for it yet" : " does not exist"),
                   ESRCH);
    const bool closed = std::ranges::all_of(threads, [](const auto& one) { return one.second.call_line.empty(); });
    if (!closed) return {};
    return Error(
        name + " cannot be looked into: permission denied\n    its user may, unless Yama restricts that, and root",
        EACCES);
  }

  void reach(uint32_t pid) {
    if (std::ranges::find(reached_, pid) != reached_.end()) return;
    reached_.push_back(pid);
    next_.push_back(pid);
  }

  void look_at(uint32_t pid) {
    const bool asked = std::ranges::find(asked_, pid) != asked_.end();
    for (const auto& [tid, thread] : picture_.facts.threads_of(pid)) {
      picture_.threads.push_back({pid, tid, asked});
      known_[tid] = &thread;
      auto wait = explain(picture_.facts, thread);
      if (!wait) continue;
      if (wait->follows || asked)
        for (const std::vector<uint32_t>& any : wait->needs)
          for (uint32_t needed : any) follow(needed);
      picture_.waits.emplace(tid, std::move(*wait));
    }
  }

  /// A thread may have given a descriptor to a new process before its first look. All who are stuck have had that now, so
  /// whom they need is asked once more, of a fresh /proc.
  void note_new_holders() {
    Facts fresh;
    for (uint32_t tid : judge(picture_.waits).stuck) {
      const auto again = explain(fresh, *known_.at(tid));
      if (!again || again->needs != picture_.waits.at(tid).needs || again->may_end) picture_.moved.insert(tid);
    }
  }

  void follow(uint32_t tid) {
    if (const ThreadFacts* thread = picture_.facts.known_thread(tid)) reach(thread->pid);
  }

  std::vector<uint32_t> asked_;
  WaitPicture picture_;
  std::vector<uint32_t> reached_;
  std::deque<uint32_t> next_;
  std::map<uint32_t, const ThreadFacts*> known_;
};

}  // namespace

Result<WaitPicture> look_at_waits(std::span<const uint32_t> pids) { return Look(pids).take(); }

}  // namespace sonde
