// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/aftermath.h"

#include <fcntl.h>
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
  dev_t device;
  ino_t inode;
  int copy;  ///< of standard output and error; -1: there is none
};
std::mutex g_mutex;
std::vector<Own> g_own;
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

bool is_the_same(const Own& own) {
  struct stat now {};
  return ::fstat(own.fd, &now) == 0 && now.st_dev == own.device && now.st_ino == own.inode;
}

/// Forgets what sonde itself has closed since, and perhaps opened anew.
void forget_what_has_gone() {
  std::erase_if(g_own, [](const Own& own) { return !is_the_same(own); });
}

/// Those that are closed now, in words; empty: none. Opens again what has a copy; `all`: looks at the others, too.
std::string closed_descriptors(bool all) {
  std::string closed;
  for (const Own& own : g_own) {
    if ((own.copy < 0 && !all) || ::fcntl(own.fd, F_GETFD) >= 0) continue;
    closed += (closed.empty() ? "" : ", ") + std::to_string(own.fd);
    if (own.copy >= 0) ::dup2(own.copy, own.fd);
  }
  return closed;
}

const char* name_of(const OpOwner& owner) { return *owner.provider != '\0' ? owner.provider : owner.file; }

void check_process(const OpOwner& owner, const std::string& where, bool all) {
  if (put_back_handlers())
    report_violation(name_of(owner), where + " has changed the handlers of SIGINT, SIGTERM or SIGHUP, which end sonde");
  const std::lock_guard lock(g_mutex);
  if (const std::string closed = closed_descriptors(all); !closed.empty())
    report_violation(name_of(owner), where + " has closed what sonde had open: descriptor " + closed);
}

}  // namespace

void expect_plugins() {
  if (g_expects.exchange(true)) return;
  g_session_thread = this_thread();
  for (int fd = 0; fd <= kLastDescriptor; fd++) {
    struct stat now {};
    if (::fstat(fd, &now) != 0) continue;
    const bool standard = fd == STDOUT_FILENO || fd == STDERR_FILENO;
    g_own.push_back({fd, now.st_dev, now.st_ino, standard ? ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstCopy) : -1});
  }
  ::pthread_atfork(before_fork, nullptr, in_child_of_fork);
}

BeforeOp::BeforeOp() {
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
  const std::lock_guard lock(g_mutex);
  forget_what_has_gone();
}

void BeforeOp::check(ProviderOp op, const OpOwner& owner) const {
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &mask_, &after);
  for (int signal = 1; signal < SIGRTMIN; signal++) {
    if (::sigismember(&after, signal) == ::sigismember(&mask_, signal)) continue;
    report_violation(name_of(owner), std::string(op_name(op)) + " has changed the signal mask of sonde's thread");
    break;
  }
  check_process(owner, op_name(op), true);
}

void check_process_of_plugins() { check_process({}, "a thread of a plug-in", false); }

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
