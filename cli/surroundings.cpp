// SPDX-License-Identifier: GPL-3.0-or-later
// What the caller did not give
//
//   descriptors 0 to 2   A closed one would be given to the next file that is opened, such as the guard's socket, and
//                        what is meant for the terminal would go there. Each is filled with a descriptor that refuses
//                        to be read or written, with EBADF, as a closed one does: so output that is lost is reported.
//                        It is closed at an exec, so a program that we start finds it closed.
//                        We refused /dev/null: what is written there is lost without a word.
//   the stack            A small one (ulimit -s) would overflow in the compiler. The command runs on a stack of its
//                        own; the limit stays, because the programs inherit it. Threads get the same size, because the
//                        default is the limit, which may be larger than memory.
//   the length of files  At the limit (ulimit -f) the kernel sends SIGXFSZ, which kills. With a handler the write only
//                        fails, with EFBIG. A handler, unlike SIG_IGN, is not inherited by an exec.
#include "cli/surroundings.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>

namespace sonde {

namespace {

constexpr size_t kStackSize = 8 << 20;
constexpr size_t kGuardPage = 4096;

void fill_standard_descriptors() {
  // open() returns the lowest number that is free. Where the limit on descriptors forbids it, no other file gets it either.
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) (void)::open("/", O_PATH | O_CLOEXEC);
}

void survive_file_size_limit() {
  struct sigaction given {};
  if (::sigaction(SIGXFSZ, nullptr, &given) != 0 || given.sa_handler != SIG_DFL) return;
  given.sa_handler = [](int) {};
  ::sigaction(SIGXFSZ, &given, nullptr);
}

void set_stack_of_threads() {
  pthread_attr_t attributes;
  if (::pthread_getattr_default_np(&attributes) != 0) return;
  if (::pthread_attr_setstacksize(&attributes, kStackSize) == 0) ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

bool stack_is_small() {
  rlimit stack{};
  return ::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kStackSize;
}

/// A call of a command on another stack. makecontext() passes no pointers, so the call stands here.
struct Call {
  int (*command)(int, char**);
  int argc;
  char** argv;
  int result;
  ucontext_t from, to;
};
Call g_call;

int call_on_own_stack(int (*command)(int, char**), int argc, char** argv) {
  void* stack = ::mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return command(argc, argv);
  ::mprotect(stack, kGuardPage, PROT_NONE);
  g_call.command = command;
  g_call.argc = argc;
  g_call.argv = argv;
  ::getcontext(&g_call.to);
  g_call.to.uc_stack = {stack, 0, kStackSize};
  g_call.to.uc_link = &g_call.from;
  ::makecontext(
      &g_call.to, [] { g_call.result = g_call.command(g_call.argc, g_call.argv); }, 0);
  ::swapcontext(&g_call.from, &g_call.to);
  return g_call.result;
}

}  // namespace

int run_in_usual_surroundings(int (*command)(int argc, char** argv), int argc, char** argv) {
  fill_standard_descriptors();
  survive_file_size_limit();
  set_stack_of_threads();
  return stack_is_small() ? call_on_own_stack(command, argc, argv) : command(argc, argv);
}

}  // namespace sonde
