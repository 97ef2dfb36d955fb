// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/aftermath.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/base/interrupt.h"
#include "runtime/framework/context.h"
#include "runtime/framework/op_scope.h"

namespace sonde {
namespace {

constexpr int kLastDescriptor = 255, kFirstCopy = 256;

/// A descriptor that was sonde's before any plug-in ran.
struct Own {
  int fd;
  int copy;  ///< of standard output and error; -1: there is none
};
std::mutex g_mutex;
std::vector<Own> g_own;
std::vector<pollfd> g_looks;  ///< one for each of these: an fd of -1 is not to be polled
std::atomic<bool> g_expects{false}, g_forked{false};
pid_t g_session_thread = 0;

pid_t this_thread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

constinit thread_local bool t_forks_for_plugin = false;

/// Sonde forks in the session's thread, outside of ops. In the child the thread's number is another one.
void before_fork() {
  const OpScope* scope = OpScope::current();
  t_forks_for_plugin = (scope != nullptr && *scope->owner().file != '\0') || this_thread() != g_session_thread;
}
void in_child_of_fork() { g_forked = t_forks_for_plugin; }

/// Which may be polled: poll() asks the file, and the server of a file may be a traced process.
bool may_be_polled(const struct stat& file) {
  return S_ISSOCK(file.st_mode) || S_ISFIFO(file.st_mode) || (file.st_mode & S_IFMT) == 0;
}

/// Those that are closed now. One poll() costs a tenth of a call for each.
std::vector<Own> closed_descriptors() {
  std::vector<Own> closed;
  const bool polled = ::poll(g_looks.data(), g_looks.size(), 0) >= 0;
  for (size_t i = 0; i < g_own.size(); i++) {
    const bool asked = polled && g_looks[i].fd >= 0;
    if (asked ? (g_looks[i].revents & POLLNVAL) != 0 : ::fcntl(g_own[i].fd, F_GETFD) < 0) closed.push_back(g_own[i]);
  }
  return closed;
}

/// Opens again those that have a copy, and forgets the others. Returns them in words; empty: there are none.
std::string put_back(const std::vector<Own>& closed) {
  std::string text;
  for (const Own& own : closed) {
    text += (text.empty() ? "" : ", ") + std::to_string(own.fd);
    if (own.copy >= 0) {
      ::dup2(own.copy, own.fd);
      continue;
    }
    const auto at = std::ranges::find(g_own, own.fd, &Own::fd) - g_own.begin();
    g_own.erase(g_own.begin() + at);
    g_looks.erase(g_looks.begin() + at);
  }
  return text;
}

const char* name_of(const OpOwner& owner) { return *owner.provider != '\0' ? owner.provider : owner.file; }

/// When a plug-in's changes are looked for, and which descriptors it must have closed if they are closed now.
enum class When : uint8_t {
  BeforeOp,  ///< standard output and error: sonde itself has closed the others, which are forgotten
  InOp,      ///< all: sonde itself closes none while an op runs
  Anytime,   ///< standard output and error
};

/// Puts back what code of a plug-in has changed, and reports it.
void check_process(const OpOwner& owner, const std::string& where, When when) {
  if (put_back_handlers())
    report_violation(name_of(owner), where + " has changed the handlers of SIGINT, SIGTERM or SIGHUP, which end sonde");
  const std::lock_guard lock(g_mutex);
  std::vector<Own> closed = closed_descriptors();
  const auto others =
      std::ranges::stable_partition(closed, [&](const Own& own) { return own.copy >= 0 || when == When::InOp; });
  if (when == When::BeforeOp) (void)put_back({others.begin(), others.end()});
  closed.erase(others.begin(), others.end());
  if (const std::string text = put_back(closed); !text.empty())
    report_violation(name_of(owner), where + " has closed what sonde had open: descriptor " + text);
}

constexpr const char* kThread = "a thread of a plug-in";

}  // namespace

void expect_plugins() {
  if (g_expects.exchange(true)) return;
  g_session_thread = this_thread();
  for (int fd = 0; fd <= kLastDescriptor; fd++) {
    struct stat now {};
    if (::fstat(fd, &now) != 0) continue;
    const bool standard = fd == STDOUT_FILENO || fd == STDERR_FILENO;
    g_own.push_back({fd, standard ? ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstCopy) : -1});
    g_looks.push_back({may_be_polled(now) ? fd : -1, 0, 0});
  }
  ::pthread_atfork(before_fork, nullptr, in_child_of_fork);
}

BeforeOp::BeforeOp(const OpScope* outer) {
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
  if (outer != nullptr && *outer->owner().file != '\0')
    check_process(outer->owner(), op_name(outer->op()), When::InOp);
  else
    check_process({}, kThread, When::BeforeOp);
}

void BeforeOp::check(ProviderOp op, const OpOwner& owner) const {
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &mask_, &after);
  for (int signal = 1; signal < SIGRTMIN; signal++) {
    if (::sigismember(&after, signal) == ::sigismember(&mask_, signal)) continue;
    report_violation(name_of(owner), std::string(op_name(op)) + " has changed the signal mask of sonde's thread");
    break;
  }
  check_process(owner, op_name(op), When::InOp);
}

void check_process_of_plugins() { check_process({}, kThread, When::Anytime); }

bool is_forked_by_plugin() { return g_forked.load(std::memory_order_relaxed); }

void end_forked_child() {
  const OpScope* scope = OpScope::current();
  const std::string who = scope != nullptr ? "provider " + std::string(name_of(scope->owner())) + ": " : "";
  const std::string where = scope != nullptr ? op_name(scope->op()) : "a thread of a plug-in";
  const std::string line = "sonde: " + who + "the child of a fork() has returned from " + where + ": it ends\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(1);
}

void let_crashes_through() {
  sigset_t crashes;
  ::sigemptyset(&crashes);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaddset(&crashes, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &crashes, nullptr);
}

}  // namespace sonde
