// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/plugin/watchdog.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "runtime/base/interrupt.h"
#include "runtime/base/thread.h"
#include "runtime/framework/aftermath.h"
#include "runtime/framework/op_scope.h"

namespace sonde {
namespace {

using std::chrono::milliseconds;

constexpr int kLooks = 5;  ///< an op that is there at so many looks after the first one has taken too long

/// Whether a thread of this process runs, or would if the processor were free. The time that it has used tells less: on
/// a busy machine there is little for anybody.
bool runs(uint32_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t name_ends = text.rfind(") ");
  return name_ends != text.npos && text[name_ends + 2] == 'R';
}

/// What is known of one row of the table since its op began.
struct Seen {
  uint32_t thread = 0, call = 0;
  int looks = 0, running = 0;  ///< how often it was seen since, and how often its thread ran then

  /// Looks again; true: the op has been there for too long.
  bool look(const OpUnderWay& row) {
    const uint32_t now = row.thread, its = row.call;
    if (now == 0 || now != thread || its != call) {
      *this = {now, its};
    } else {
      looks++;
      if (looks <= kLooks && runs(now)) running++;
    }
    return thread != 0 && looks >= kLooks;
  }
};

std::string in_seconds(milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s" : std::to_string(time.count()) + " ms";
}

std::string name_of(const OpUnderWay& row) {
  const std::string provider = row.provider.load(), file = row.file.load();
  return provider.empty() ? "plug-in " + file : "provider " + provider + " (" + file + ")";
}

void tell(const OpUnderWay& row, const Seen& seen, milliseconds patience) {
  const std::string text =
      "sonde: " + name_of(row) + ": " + op_name(row.op) + " has not returned for " + in_seconds(patience) +
      (seen.running > kLooks / 2 ? "; it uses the processor\n"
                                 : "; it waits, and an op must not wait for a thread that makes a call\n");
  if (row.call == seen.call) std::fputs(text.c_str(), stderr);
}

/// Ends this process as if it did not handle the signal.
[[noreturn]] void end_by(int signal, const OpUnderWay& row) {
  const std::string text = "sonde: " + name_of(row) + ": " + op_name(row.op) +
                           " still has not returned, so sonde ends; what it has not printed yet is lost\n";
  std::fputs(text.c_str(), stderr);
  ::signal(signal, SIG_DFL);
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

[[noreturn]] void watch(milliseconds patience) {
  std::array<Seen, std::tuple_size_v<OpsUnderWay>> seen;
  for (int asked = 0;; asked = interrupted() ? asked + 1 : 0) {
    std::this_thread::sleep_for(patience / kLooks);
    check_process_of_plugins();
    for (size_t i = 0; i < seen.size(); i++) {
      const OpUnderWay& row = ops_under_way()[i];
      if (!seen[i].look(row)) continue;
      if (seen[i].looks == kLooks) tell(row, seen[i], patience);
      if (asked > kLooks) end_by(interrupting_signal(), row);
    }
  }
}

}  // namespace

void watch_ops(milliseconds patience) {
  static std::atomic<bool> started{false};
  if (started.exchange(true)) return;
  start_thread([patience] { watch(patience); }).detach();
}

}  // namespace sonde
