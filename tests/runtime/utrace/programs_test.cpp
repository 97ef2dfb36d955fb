// SPDX-License-Identifier: GPL-3.0-or-later
// The programs that the tests trace: one function each, selected by the environment
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "runtime/utrace/thread_status.h"

namespace {

using sonde::ThreadStatus;

void say_ready() {
  if (write(3, "r", 1) < 0) return;
}

int nothing(int, char**) { return 7; }

int repeat_getppid(int argc, char** argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 1, calls = argc > 2 ? std::atoi(argv[2]) : 1;
  const useconds_t pause = argc > 3 ? static_cast<useconds_t>(std::atoi(argv[3])) : 0;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([calls, pause] {
      for (int j = 0; j < calls; ++j) {
        if (pause != 0) usleep(pause);
        syscall(SYS_getppid);
      }
    });
  for (auto& thread : running) thread.join();
  return 0;
}

/// argv[1] calls in the main thread; the exit status says whether geteuid() returned argv[2].
int call_once(int argc, char** argv) {
  long result = syscall(SYS_getppid);
  long user = syscall(SYS_geteuid);
  if (argc > 1 && !std::strcmp(argv[1], "ppid")) return result == std::atol(argv[2]) ? 0 : 1;
  if (argc > 1 && !std::strcmp(argv[1], "euid")) return user == std::atol(argv[2]) ? 0 : 1;
  if (argc > 1 && !std::strcmp(argv[1], "getpid")) return result == getpid() ? 0 : 1;
  return 0;
}

std::atomic<int> caught[65];
void on_signal(int signal) { ++caught[signal]; }

void handle(int signal) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(signal, &action, nullptr);
}

/// From here on only await_usr1() takes SIGUSR1: none is lost before a sleep, or in another thread.
void block_usr1() {
  handle(SIGUSR1);
  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
}
void await_usr1() {
  sigset_t none;
  sigemptyset(&none);
  while (!caught[SIGUSR1]) sigsuspend(&none);
}

/// Raises argv[1] with a handler ("h"), by default ("d") or ignored ("i"); exits with 10 + times caught.
int raise_signal(int, char** argv) {
  int signal = std::atoi(argv[1]);
  ::signal(signal, SIG_DFL);  // a sanitizer has handlers of its own
  if (argv[2][0] == 'h') handle(signal);
  if (argv[2][0] == 'i') ::signal(signal, SIG_IGN);
  if (argv[2][0] == 'h' && argv[2][1] == '1') handle(SIGUSR1);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
  if (argv[2][0] == 'h' && argv[2][1] == '1') return 10 + caught[signal] + 20 * caught[SIGUSR1];
  return 10 + caught[signal];
}

int wait_for_usr1(int, char**) {
  block_usr1();
  say_ready();
  await_usr1();
  return 5;
}

/// Threads that add numbers until SIGUSR1; the sum must be right.
int busy_threads(int, char** argv) {
  int threads = std::atoi(argv[1]);
  block_usr1();
  std::vector<std::thread> running;
  std::atomic<bool> stop{false};
  std::vector<long> turns(static_cast<size_t>(threads)), sums(static_cast<size_t>(threads));
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      for (long n = 1; !stop; ++n) {
        turns[static_cast<size_t>(i)] = n;
        sums[static_cast<size_t>(i)] += n;
        if (n % 100 == 0) syscall(SYS_getppid);
        if (n % 1000 == 0) usleep(100);
      }
    });
  say_ready();
  await_usr1();
  stop = true;
  for (auto& thread : running) thread.join();
  for (int i = 0; i < threads; ++i) {
    long n = turns[static_cast<size_t>(i)];
    if (sums[static_cast<size_t>(i)] != n * (n + 1) / 2) return 1;
  }
  return 9;
}

/// Sleeps in epoll_wait for 1.5 s. Exit status 10 + the number of EINTRs.
int epoll_sleeper(int, char**) {
  signal(SIGUSR1, [](int) {});
  int epoll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0), interrupted = 0;
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event);
  itimerspec when{{0, 0}, {1, 500'000'000}};
  timerfd_settime(timer, 0, &when, nullptr);
  say_ready();
  while (epoll_wait(epoll, &event, 1, -1) != 1) ++interrupted;
  return 10 + interrupted;
}

/// The thread runs even if its creator is held in clone(): so it is none of pthread_create(), in which clang's
/// AddressSanitizer holds a lock that the new thread takes.
int exec_from_thread(int, char**) {
  setenv("SONDE_TEST_PROGRAM", "nothing", 1);
  alignas(16) static char stack[65536];
  const auto exec = [](void*) {
    char* argv[] = {const_cast<char*>("/proc/self/exe"), nullptr};
    execv(argv[0], argv);
    _exit(99);
    return 0;
  };
  const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  if (clone(exec, stack + sizeof stack, flags, nullptr) < 0) return 98;
  while (true) pause();
}

int exec_plain(int, char**) {
  setenv("SONDE_TEST_PROGRAM", "nothing", 1);
  char* argv[] = {const_cast<char*>("/proc/self/exe"), nullptr};
  execv(argv[0], argv);
  return 98;
}

/// The leader ends first; another thread determines the status. With an argument it reports when this is so, and waits
/// for SIGUSR1.
int leader_leaves(int argc, char**) {
  static pthread_t thread;
  static const bool waits = argc > 1;
  if (waits) handle(SIGUSR1);
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        ThreadStatus leader;
        while (read_status(getpid(), &leader) && leader.state != 'Z') usleep(1000);
        if (waits) say_ready();
        while (waits && !caught[SIGUSR1]) usleep(1000);
        for (int i = 0; i < 10; ++i) syscall(SYS_getppid);
        syscall(SYS_exit_group, 33);
        return nullptr;
      },
      nullptr);
  syscall(SYS_exit, 0);
  return 0;
}

/// By `int $0x80`.
long call_as_compat(long number, long argument) {
  long result = number;
  asm volatile("int $0x80" : "+a"(result) : "b"(argument), "c"(0), "d"(0) : "memory", "r8", "r9", "r10", "r11");
  return result;
}

int compat_calls(int, char**) {
  for (int i = 0; i < 2; ++i) syscall(SYS_getppid);
  for (int i = 0; i < 5; ++i) call_as_compat(64, 0);
  return call_as_compat(6, -1) == -EBADF ? 0 : 1;
}

/// One read that a signal ends, and one that is restarted and returns what the handler has written.
int pipe_ends[2];
int interrupted_reads(int, char**) {
  char byte;
  iovec to{&byte, 1};  // readv, because the dynamic linker calls read()
  if (pipe(pipe_ends) != 0) return 1;
  itimerval soon{{0, 0}, {0, 20000}};
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGALRM, &action, nullptr);
  setitimer(ITIMER_REAL, &soon, nullptr);
  if (readv(pipe_ends[0], &to, 1) != -1 || errno != EINTR) return 2;
  action.sa_handler = [](int) {
    if (write(pipe_ends[1], "x", 1) < 0) _exit(1);
  };
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  setitimer(ITIMER_REAL, &soon, nullptr);
  return readv(pipe_ends[0], &to, 1) == 1 ? 0 : 3;
}

/// Calls getppid once, and once more after its own filter forbids it; a child inherits the filter.
int own_filter(int, char**) {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 55),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog filter{4, code};
  syscall(SYS_getppid);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 1;
  syscall(SYS_getppid);
  pid_t child = fork();
  if (child == 0) {
    syscall(SYS_getppid);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return syscall(SYS_getppid) == -1 && errno == 55 ? 0 : 2;
}

int fork_children(int, char** argv) {
  int count = std::atoi(argv[1]), bad = 0;
  for (int i = 0; i < count; ++i) {
    pid_t child = i % 2 ? vfork() : fork();
    if (child == 0) {
      syscall(SYS_getppid);
      _exit(i);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != i) ++bad;
  }
  return bad;
}

int many_threads(int, char** argv) {
  int count = std::atoi(argv[1]);
  for (int i = 0; i < count; ++i) std::thread([] { syscall(SYS_getppid); }).join();
  return 3;
}

/// Creates threads and processes as fast as possible until it is killed.
int storm(int, char**) {
  say_ready();
  for (;;) {
    std::vector<std::thread> running;
    for (int i = 0; i < 4; ++i) running.emplace_back([] { syscall(SYS_getppid); });
    if (pid_t child = fork())
      waitpid(child, nullptr, 0);
    else
      _exit(0);
    for (auto& thread : running) thread.join();
  }
}

int sleeper(int, char**) {
  say_ready();
  timespec time{1000, 0};
  for (;;) nanosleep(&time, nullptr);
}

/// Stops itself, then exits with a status that says that it continued.
int stop_self(int, char** argv) {
  raise(std::atoi(argv[1]));
  syscall(SYS_getppid);
  return 21;
}

int map_things(int, char**);

int straight(int, char**) {
  handle(SIGUSR1);
  raise(SIGUSR1);
  syscall(SYS_getppid);
  return caught[SIGUSR1] == 1 ? 0 : 1;
}

/// A parent that reaps its child only on request.
int late_reaper(int, char**) {
  handle(SIGUSR1);
  pid_t child = fork();
  if (child == 0) _exit(4);
  while (!caught[SIGUSR1]) usleep(1000);
  int status = 0;
  waitpid(child, &status, 0);
  usleep(400'000);
  return WEXITSTATUS(status);
}

struct Program {
  const char* name;
  int (*run)(int, char**);
};
constexpr Program kPrograms[] = {
    {"nothing", nothing},
    {"getppid", repeat_getppid},
    {"call_once", call_once},
    {"raise", raise_signal},
    {"wait_for_usr1", wait_for_usr1},
    {"busy_threads", busy_threads},
    {"epoll_sleeper", epoll_sleeper},
    {"exec_from_thread", exec_from_thread},
    {"exec_plain", exec_plain},
    {"leader_leaves", leader_leaves},
    {"fork_children", fork_children},
    {"compat_calls", compat_calls},
    {"interrupted_reads", interrupted_reads},
    {"own_filter", own_filter},
    {"many_threads", many_threads},
    {"storm", storm},
    {"sleeper", sleeper},
    {"stop_self", stop_self},
    {"map_things", map_things},
    {"straight", straight},
    {"late_reaper", late_reaper},
};

}  // namespace

#include <sys/mman.h>

namespace {

int map_things(int, char**) {
  int file = open("/proc/self/exe", O_RDONLY);
  void* mapped = mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE, file, 0);
  void* plain = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(plain, 4096, PROT_READ);
  void* moved = mremap(plain, 4096, 16384, MREMAP_MAYMOVE);
  munmap(mapped, 8192);
  return moved == MAP_FAILED ? 1 : 0;
}

/// Before main(): a binary that was started as a traced program never runs the tests.
__attribute__((constructor)) void run_program(int argc, char** argv) {
  const char* wanted = getenv("SONDE_TEST_PROGRAM");
  if (!wanted) return;
  alarm(20);  // in any case
  for (const Program& program : kPrograms)
    if (!std::strcmp(program.name, wanted)) _exit(program.run(argc, argv));  // no leak check under ptrace
  _exit(125);
}

}  // namespace
