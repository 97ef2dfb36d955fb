// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/plugin/trial.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <utility>

#include "runtime/base/interrupt.h"
#include "runtime/framework/context.h"
#include "runtime/framework/observers.h"
#include "runtime/framework/op_scope.h"

namespace sonde {
namespace {

Progress* g_progress = nullptr;  ///< in the child

void copy_text(const std::string& from, char* to, size_t size) {
  const size_t length = std::min(from.size(), size - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

void prepare_child(Trial::Voice voice) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (int signal = 1; signal < NSIG; signal++) ::signal(signal, SIG_DFL);
  forget_handlers();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, STDIN_FILENO);
  if (voice == Trial::Voice::Heard) return;
  ::dup2(null, STDOUT_FILENO);
  ::dup2(null, STDERR_FILENO);
}

/// Called for an exception that nobody catches: in a thread of the plug-in, also in an op there, or out of a noexcept
/// function.
[[noreturn]] void on_terminate() {
  const OpScope* scope = OpScope::current();
  const std::string op = scope == nullptr ? "" : op_name(scope->op());
  if (!std::current_exception()) g_progress->fail("calls std::terminate()" + (op.empty() ? "" : " in " + op));
  g_progress->fail((op.empty() ? "throws out of a thread: " : op + " throws: ") + exception_text());
}

constexpr ProviderObservers kObservers = {
    .wrong_call = [](const char* provider,
                     const char* text) { g_progress->fail("provider " + std::string(provider) + ": " + text); },
};

/// The processor time of a process and its threads; 0: it has ended.
std::chrono::nanoseconds processor_time(pid_t pid) {
  clockid_t clock;
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

/// "5 s", "300 ms"
std::string in_words(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s" : std::to_string(time.count()) + " ms";
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

}  // namespace

void Progress::doing(const std::string& what) { copy_text(what, doing_, sizeof doing_); }

void Progress::fail(const std::string& why) {
  copy_text(why, fault_, sizeof fault_);
  ::_exit(1);
}

Trial::Trial(Trial&& other) noexcept
    : progress_(std::exchange(other.progress_, nullptr)),
      child_(std::exchange(other.child_, 0)),
      began_(other.began_),
      ended_(std::move(other.ended_)) {}

Trial::~Trial() {
  if (child_ != 0) (void)verdict({{}, {}, {}});
  if (progress_ != nullptr) ::munmap(progress_, sizeof *progress_);
}

Result<Trial> Trial::begin(const Act& act, Voice voice) {
  void* page = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return Error::from_errno("shared memory");
  auto* progress = static_cast<Progress*>(page);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) {
    ::munmap(page, sizeof(Progress));
    return Error::from_errno("fork");
  }
  if (child == 0) {
    g_progress = progress;
    prepare_child(voice);
    std::set_terminate(on_terminate);
    g_provider_observers.store(&kObservers);
    try {
      act(*progress);
    } catch (...) {
      progress->fail(std::string(progress->doing_) + " throws: " + exception_text());
    }
    std::fflush(nullptr);
    progress->done_ = true;
    ::_exit(0);
  }
  ::setpgid(child, child);  // parent and child both call it: either may run first
  return Trial(progress, child, UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))));
}

/// Whether its first thread waits for something other than a processor or a disk.
bool Trial::sleeps() const {
  std::ifstream file("/proc/" + std::to_string(child_) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t name_ends = text.rfind(") ");
  return name_ends != text.npos && text[name_ends + 2] == 'S';
}

std::string Trial::wait(const Patience& patience) {
  constexpr std::chrono::milliseconds kLook{50};
  std::chrono::nanoseconds used{};
  for (std::chrono::milliseconds asleep{};;) {
    const auto before = std::exchange(used, processor_time(child_));
    if (used == before && sleeps()) asleep += kLook;
    const bool used_up = used >= patience.processor, slept = asleep >= patience.asleep;
    const bool late = Clock::now() - began_ >= patience.wall;
    pollfd ended{ended_.get(), POLLIN, 0};
    if (::poll(&ended, 1, used_up || slept || late ? 0 : static_cast<int>(kLook.count())) > 0) return {};
    if (used_up) return in_words(patience.processor) + " of processor time";
    if (slept) return in_words(patience.asleep) + " of waiting";
    if (late) return in_words(patience.wall);
  }
}

std::string Trial::verdict(const Patience& patience) {
  const std::string too_long = wait(patience);
  ::kill(-child_, SIGKILL);  // the group: the child, or processes that it has left behind
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = 0;
  took_too_long_ = !too_long.empty();
  const std::string doing = progress_->doing_;
  if (progress_->fault_[0] != '\0') return progress_->fault_;
  if (progress_->done_) return {};
  if (!too_long.empty()) return "was not ready after " + too_long + ", in " + doing;
  if (WIFSIGNALED(status)) return "dies of " + signal_name(WTERMSIG(status)) + " in " + doing;
  return "exits with status " + std::to_string(WEXITSTATUS(status)) + " in " + doing;
}

}  // namespace sonde
