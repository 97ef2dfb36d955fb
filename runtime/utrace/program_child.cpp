// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/utrace/program_child.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cerrno>

#include "runtime/base/path_search.h"

namespace sonde {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

[[noreturn]] void become(char* const* argv, char* const* environment, const ProgramChild::Steps& steps, int go,
                         int failure) {
  steps.signals.restore();
  steps.prepare();
  int code = steps.terminal ? take_terminal(*steps.terminal) : 0;
  char byte;
  ssize_t got;
  do got = read(go, &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) _exit(127);
  const std::string path = search_path(argv[0]).value_or(argv[0]);  // execvpe() reports the error
  if (code == 0) code = steps.last();
  if (code == 0 && steps.user) code = become_user(*steps.user, path.c_str());
  if (code == 0) {
    execvpe(path.c_str(), argv, environment);
    code = errno;
  }
  if (write(failure, &code, sizeof code) < 0) _exit(126);
  _exit(127);
}

}  // namespace

GivenSignals::GivenSignals() {
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  sigemptyset(&ignored);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) sigaddset(&ignored, signal);
  }
}

void GivenSignals::restore() const {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action {};
    action.sa_handler = sigismember(&ignored, signal) == 1 ? SIG_IGN : SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

GivenLimit::GivenLimit() { getrlimit(RLIMIT_NOFILE, &descriptors); }

int GivenLimit::restore() const { return setrlimit(RLIMIT_NOFILE, &descriptors) == 0 ? 0 : errno; }

void GivenLimit::raise() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Result<ProgramChild> ProgramChild::fork(const std::vector<std::string>& argv,
                                        const std::vector<std::string>& environment, const Steps& steps) {
  if (argv.empty()) return Error("start a program: no name given", EINVAL);
  const std::string name = "start " + argv[0];
  const std::vector<char*> words = pointers(argv), settings = pointers(environment);
  int go[2], failure[2];
  if (pipe2(go, O_CLOEXEC) != 0) return Error::from_errno(name);
  UniqueFd go_read(go[0]), go_write(go[1]);
  if (pipe2(failure, O_CLOEXEC) != 0) return Error::from_errno(name);
  UniqueFd failure_read(failure[0]), failure_write(failure[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return Error::from_errno(name);
  if (pid == 0) {
    close(go[1]);
    become(words.data(), environment.empty() ? environ : settings.data(), steps, go[0], failure[1]);
  }
  return ProgramChild(pid, name, std::move(go_write), std::move(failure_read));
}

void ProgramChild::kill() const {
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, __WALL);
}

Error ProgramChild::failure() const {
  int code = 0;
  if (read(failure_.get(), &code, sizeof code) == static_cast<ssize_t>(sizeof code))
    return Error::from_errno(name_, code);
  return Error(name_ + ": it was killed before it ran", ECHILD);
}

}  // namespace sonde
