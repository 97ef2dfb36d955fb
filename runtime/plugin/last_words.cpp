// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/plugin/last_words.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include "runtime/framework/op_scope.h"

namespace sonde {
namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// An executable segment of a plug-in.
struct Code {
  uintptr_t begin, end;
  const char* file;
};
std::array<Code, 256> g_code;
std::atomic<size_t> g_codes{0};

struct sigaction g_before[NSIG];
pid_t g_session_thread = 0;
std::atomic<bool> g_spoken{false}, g_ending{false};
alignas(16) char g_stack[64 * 1024];  ///< of the handler: a crash may be the stack's overflow

pid_t this_thread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

/// A line of at most one write(), put together without the C library's buffers.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    const size_t length = std::min(text.size(), sizeof text_ - length_);
    std::memcpy(text_ + length_, text.data(), length);
    length_ += length;
    return *this;
  }
  Line& operator<<(int number) {
    char digits[12];
    char* at = digits + sizeof digits;
    unsigned rest = number < 0 ? 0u - static_cast<unsigned>(number) : static_cast<unsigned>(number);
    do *--at = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (number < 0) *--at = '-';
    return *this << std::string_view(at, static_cast<size_t>(digits + sizeof digits - at));
  }
  ~Line() { [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text_, length_); }

 private:
  char text_[512];
  size_t length_ = 0;
};

const char* plugin_at(uintptr_t address) {
  for (size_t i = 0; i < g_codes.load(); i++)
    if (address >= g_code[i].begin && address < g_code[i].end) return g_code[i].file;
  return nullptr;
}

/// The plug-in that the first of the words above `stack` points into; null: none of them does. They are read by a system
/// call, which fails where the stack ends.
const char* plugin_on_stack(uintptr_t stack) {
  constexpr size_t kMost = 4096;
  std::array<uintptr_t, 64> words;
  for (size_t read = 0; read < kMost; read += words.size(), stack += sizeof words) {
    const iovec to{words.data(), sizeof words};
    const iovec from{reinterpret_cast<void*>(stack), sizeof words};
    const ssize_t got = ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0);
    for (size_t i = 0; got > 0 && i < static_cast<size_t>(got) / sizeof words[0]; i++)
      if (const char* file = plugin_at(words[i]); file != nullptr) return file;
    if (got != static_cast<ssize_t>(sizeof words)) break;
  }
  return nullptr;
}

Line& operator<<(Line& line, const OpOwner& owner) {
  if (*owner.provider == '\0') return line << "plug-in " << owner.file;
  line << "provider " << owner.provider;
  return *owner.file == '\0' ? line : line << " (" << owner.file << ")";
}

/// "sonde: provider bad (bad.so) WHAT in dtps_enable". `stack`: where to look for return addresses. Says nothing if no
/// plug-in is at work.
template <typename... Words>
bool blame(const void* stack, const Words&... what) {
  const OpScope* scope = OpScope::current();
  const bool in_op = scope != nullptr && *scope->owner().file != '\0';
  const bool searches = !in_op && (g_ending || this_thread() != g_session_thread);
  const char* file = searches ? plugin_on_stack(reinterpret_cast<uintptr_t>(stack)) : nullptr;
  if ((!in_op && file == nullptr) || g_spoken.exchange(true)) return false;
  Line line;
  line << "sonde: ";
  if (in_op)
    line << scope->owner();
  else
    line << "plug-in " << file;
  (line << ... << what);
  line << " in " << (in_op ? op_name(scope->op()) : g_ending ? "a destructor" : "a thread of its own");
  line << (g_ending ? "\n" : "; what sonde has not printed yet is lost\n");
  return true;
}

/// Whether a signal says that this process did something wrong. Other processes can send these signals, too.
bool is_ours(const siginfo_t& info) { return info.si_code > 0 || info.si_pid == ::getpid(); }

void on_crash(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  // `context` has the registers. It is on the thread's own stack, below the frames, unless that is the other one.
  if (is_ours(*info)) blame(context, " has crashed by SIG", ::sigabbrev_np(signal));
  ::sigaction(signal, &g_before[signal], nullptr);
  // A fault comes again when the instruction is repeated; a signal that was sent does not.
  if (info->si_code <= 0) ::syscall(SYS_tgkill, ::getpid(), this_thread(), signal);
  errno = error;
}

void on_exit_of_process(int status, void* /*unused*/) {
  const bool blamed = blame(__builtin_frame_address(0), " has called exit(", status, ")");
  g_ending = true;
  if (!blamed || status != 0) return;
  std::fflush(nullptr);
  ::_exit(1);
}

void handle_crashes() {
  stack_t before{};
  const stack_t own{g_stack, 0, sizeof g_stack};
  if (::sigaltstack(nullptr, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0) ::sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (int signal : kCrashes) ::sigaction(signal, &action, &g_before[signal]);
}

}  // namespace

void explain_ends() {
  if (g_session_thread != 0) return;
  g_session_thread = this_thread();
  handle_crashes();
  ::on_exit(on_exit_of_process, nullptr);
}

void note_code(const void* address, const char* file) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0) return;
  struct Sought {
    uintptr_t base;
    const char* file;
  } sought{reinterpret_cast<uintptr_t>(info.dli_fbase), file};
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* arg) {
        const auto& of = *static_cast<const Sought*>(arg);
        if (object->dlpi_addr != of.base) return 0;
        for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || g_codes == g_code.size()) continue;
          const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
          g_code[g_codes] = {begin, begin + segment.p_memsz, of.file};
          g_codes++;
        }
        return 1;
      },
      &sought);
}

}  // namespace sonde
