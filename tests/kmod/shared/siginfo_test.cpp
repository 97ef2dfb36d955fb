// SPDX-License-Identifier: GPL-3.0-or-later
// kmod/shared/siginfo.h: which member of a siginfo becomes which argument.
#include "kmod/shared/siginfo.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <array>
#include <cstddef>

#include "kmod/shared/dif.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using Args = std::array<uint64_t, SONDE_DIF_ARGS>;

static_assert(offsetof(siginfo_t, _sifields) == 16);

Args args_of(const siginfo_t& info) {
  Args args{};
  args[3] = 33;
  args[4] = 44;
  sonde_siginfo_args(args.data(), info.si_signo, info.si_errno, info.si_code, &info._sifields);
  return args;
}

siginfo_t with(int signal, int code) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = code;
  return info;
}

TEST(Siginfo, Queued) {
  siginfo_t info = with(SIGRTMIN, SI_QUEUE);
  info.si_errno = 5;
  info.si_pid = 100;
  info.si_uid = 0xfffffffe;
  info.si_value.sival_ptr = reinterpret_cast<void*>(0x123456789abc);
  EXPECT_THAT(args_of(info),
              ElementsAre(SIGRTMIN, UINT64_MAX, 100, 33, 44, 5ull << 32 | 0xfffffffe, 0, 0x123456789abc, 0, 0));
}

TEST(Siginfo, SentByKillHasNoValue) {
  siginfo_t info = with(SIGSEGV, SI_USER);  // sent by a process, so it is not a fault
  info.si_pid = 100;
  info.si_uid = 7;
  info.si_value.sival_int = 9;
  EXPECT_THAT(args_of(info), ElementsAre(SIGSEGV, 0, 100, 33, 44, 7, 0, 0, 0, 0));
}

TEST(Siginfo, Timer) {
  siginfo_t info = with(SIGALRM, SI_TIMER);
  info.si_timerid = 3;
  info.si_overrun = 4;
  info.si_value.sival_int = 77;
  EXPECT_THAT(args_of(info), ElementsAre(SIGALRM, static_cast<uint64_t>(SI_TIMER), 0, 33, 44, 0, 0, 77, 0, 0));
}

TEST(Siginfo, Fault) {
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS}) {
    siginfo_t info = with(signal, 1);
    info.si_addr = reinterpret_cast<void*>(0x7fff12345678);
    EXPECT_THAT(args_of(info), ElementsAre(signal, 1, 0, 33, 44, 0, 0x7fff12345678, 0, 0, 0)) << signal;
  }
  siginfo_t kernel = with(SIGTRAP, SI_KERNEL);
  EXPECT_THAT(args_of(kernel), ElementsAre(SIGTRAP, SI_KERNEL, 0, 33, 44, 0, 0, 0, 0, 0));
}

TEST(Siginfo, Child) {
  siginfo_t info = with(SIGCHLD, CLD_EXITED);
  info.si_pid = 100;
  info.si_uid = 7;
  info.si_status = -2;
  info.si_utime = 11;
  info.si_stime = 12;
  EXPECT_THAT(args_of(info),
              ElementsAre(SIGCHLD, CLD_EXITED, 100, 33, 44, 7, 0, 0, static_cast<uint64_t>(-2), 12ull << 32 | 11));
}

TEST(Siginfo, Poll) {
  for (auto [signal, code] : {std::pair{SIGIO, 1}, {SIGRTMIN, 2}, {SIGCHLD, SI_SIGIO}}) {
    siginfo_t info = with(signal, code);
    info.si_band = 65;
    info.si_fd = 3;
    EXPECT_THAT(args_of(info), ElementsAre(signal, static_cast<uint64_t>(code), 0, 33, 44, 0, 0, 0, 3, 65)) << signal;
  }
}

}  // namespace
}  // namespace sonde
