// SPDX-License-Identifier: GPL-3.0-or-later
// Calls decoded from words and from memory that the test defines. The expected text is strace's for the same call.
#include "runtime/syscall/decode.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <termios.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>

#include "runtime/syscall/shape.h"
#include "runtime/syscall/structures.h"

namespace sonde {
namespace {

struct World {
  CallMemory memory;
  std::deque<std::string> kept;

  template <typename T>
  void put(uint64_t address, const T& value) {
    kept.emplace_back(reinterpret_cast<const char*>(&value), sizeof value);
    memory.add({address, kept.back()});
  }
  void text(uint64_t address, std::string_view text, bool cut = false) {
    kept.emplace_back(text);
    memory.add({address, kept.back(), cut});
  }
};

using Words = std::array<uint64_t, 6>;

std::string at_entry(uint32_t number, Words words, const World& world = {}) {
  return decode_arguments({number, words}, world.memory);
}
std::string at_return(uint32_t number, Words words, int64_t result, const World& world = {}) {
  return decode_arguments({number, words, true, result, 0}, world.memory);
}
std::string failed(uint32_t number, Words words, int error, const World& world = {}) {
  return decode_arguments({number, words, true, -1, error}, world.memory);
}
std::string result_of(uint32_t number, Words words, int64_t result, const World& world = {}) {
  return decode_result({number, words, true, result, 0}, world.memory);
}

constexpr uint64_t kP = 0x1000, kQ = 0x2000, kR = 0x3000;
const std::vector<std::string> kTwo = {"A=1", "B=2"};  ///< an environment

TEST(DecodeArguments, PathsFlagsAndModes) {
  World world;
  world.text(kP, "/etc/passwd");
  EXPECT_EQ(at_entry(SYS_openat, {0xffffff9c, kP, O_RDONLY | O_CLOEXEC}, world),
            "AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC");
  EXPECT_EQ(at_entry(SYS_openat, {5, kP, O_WRONLY | O_CREAT | O_TRUNC, 0644}, world),
            "5, \"/etc/passwd\", O_WRONLY|O_CREAT|O_TRUNC, 0644");
  EXPECT_EQ(at_entry(SYS_open, {kP, 0x40000000}, world), "\"/etc/passwd\", O_RDONLY|0x40000000");
  EXPECT_EQ(at_entry(SYS_mkdir, {kP, 0}, world), "\"/etc/passwd\", 000");
  EXPECT_EQ(at_entry(SYS_access, {kP, 0}, world), "\"/etc/passwd\", F_OK");
  EXPECT_EQ(at_entry(SYS_access, {kP, R_OK | X_OK}, world), "\"/etc/passwd\", X_OK|R_OK");
}

TEST(DecodeArguments, TextIsEscapedAndMarkedWhereCut) {
  World world;
  world.text(kP,
             "a\"b\\\n\t\x01"
             "2\x7f\xff",
             true);
  EXPECT_EQ(at_entry(SYS_unlink, {kP}, world), "\"a\\\"b\\\\\\n\\t\\0012\\177\\377\"...");
  EXPECT_EQ(at_entry(SYS_unlink, {0}), "NULL");
  EXPECT_EQ(at_entry(SYS_unlink, {0xdead}), "0xdead") << "it could not be read";
  World device;
  device.memory.describe(3, "/tmp/\x1b[31mred\n");
  EXPECT_EQ(at_entry(SYS_close, {3}, device), "3</tmp/\\33[31mred\\n>");
}

TEST(DecodeArguments, DescriptorsAsTheirTypesAreWide) {
  World world;
  world.memory.describe(3, "/etc/passwd");
  EXPECT_EQ(at_entry(SYS_close, {0xdead00000003}, world), "3</etc/passwd>");
  EXPECT_EQ(at_entry(SYS_close, {4}, world), "4");
  world.memory.describe(5, "/tmp/x (deleted)");
  EXPECT_EQ(at_entry(SYS_close, {5}, world), "5</tmp/x>(deleted)");
  EXPECT_EQ(at_entry(SYS_mmap, {0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0}),
            "NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0");
  EXPECT_EQ(at_entry(SYS_chown, {0, 0xffffffff, 1000}), "NULL, -1, 1000");
}

TEST(DecodeArguments, BuffersAreShownWhenTheyAreFilled) {
  World world;
  world.text(kP, "hello");
  EXPECT_EQ(at_entry(SYS_write, {1, kP, 5}, world), "1, \"hello\", 5");
  EXPECT_EQ(at_entry(SYS_write, {1, kP, 50}, world), "1, \"hello\"..., 50");
  EXPECT_EQ(at_entry(SYS_write, {1, kP, 0}), "1, \"\", 0");
  EXPECT_EQ(at_entry(SYS_read, {1, kP, 100}), "1, 0x1000, 100");
  EXPECT_EQ(at_return(SYS_read, {1, kP, 100}, 5, world), "1, \"hello\", 100");
  EXPECT_EQ(at_return(SYS_read, {1, kP, 100}, 0), "1, \"\", 100");
  EXPECT_EQ(failed(SYS_read, {1, kP, 100}, EBADF), "1, 0x1000, 100");
  EXPECT_EQ(at_return(SYS_getrandom, {kP, 5, 1}, 5, world), "\"\\x68\\x65\\x6c\\x6c\\x6f\", 5, GRND_NONBLOCK");
}

TEST(DecodeArguments, Addresses) {
  World world;
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(80);
  four.sin_addr.s_addr = htonl(0x01020304);
  world.put(kP, four);
  EXPECT_EQ(at_entry(SYS_connect, {3, kP, 16}, world),
            "3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"1.2.3.4\")}, 16");
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(443);
  six.sin6_addr = in6addr_loopback;
  world.put(kQ, six);
  EXPECT_EQ(at_entry(SYS_bind, {3, kQ, 28}, world),
            "3, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, \"::1\", "
            "&sin6_addr), sin6_scope_id=0}, 28");
  world.text(kR, std::string("\1\0/run/x\0junk", 13));
  EXPECT_EQ(at_entry(SYS_connect, {3, kR, 13}, world), "3, {sa_family=AF_UNIX, sun_path=\"/run/x\"}, 13");
  World abstract;
  abstract.text(kR, std::string("\1\0\0bus", 6));
  EXPECT_EQ(at_entry(SYS_connect, {3, kR, 6}, abstract), "3, {sa_family=AF_UNIX, sun_path=@\"bus\"}, 6");
  World accepted;
  accepted.put(kP, four);
  accepted.put(kQ, int{16});
  EXPECT_EQ(at_return(SYS_accept4, {3, kP, kQ, SOCK_NONBLOCK}, 4, accepted),
            "3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"1.2.3.4\")}, [16], SOCK_NONBLOCK");
  EXPECT_EQ(at_entry(SYS_accept4, {3, kP, kQ, 0}, accepted), "3, 0x1000, [16], 0");
}

TEST(DecodeArguments, SocketsByLevelAndFamily) {
  World world;
  world.put(kP, int{1});
  EXPECT_EQ(at_entry(SYS_socket, {AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0}),
            "AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP");
  EXPECT_EQ(at_entry(SYS_socket, {AF_UNIX, SOCK_DGRAM, 0}), "AF_UNIX, SOCK_DGRAM, 0");
  EXPECT_EQ(at_entry(SYS_socket, {AF_NETLINK, SOCK_RAW, 0}), "AF_NETLINK, SOCK_RAW, NETLINK_ROUTE");
  EXPECT_EQ(at_entry(SYS_setsockopt, {3, SOL_SOCKET, SO_REUSEADDR, kP, 4}, world),
            "3, SOL_SOCKET, SO_REUSEADDR, [1], 4");
  EXPECT_EQ(at_entry(SYS_setsockopt, {3, IPPROTO_TCP, 1, kP, 4}, world), "3, SOL_TCP, TCP_NODELAY, [1], 4");
}

TEST(DecodeArguments, SignalsAndMasks) {
  World world;
  world.put(kP, uint64_t{1 << (SIGINT - 1) | 1 << (SIGCHLD - 1)});
  EXPECT_EQ(at_entry(SYS_rt_sigprocmask, {SIG_BLOCK, kP, 0, 8}, world), "SIG_BLOCK, [INT CHLD], NULL, 8");
  world.put(kQ, ~uint64_t{1 << (SIGKILL - 1) | 1 << (SIGSTOP - 1)});
  EXPECT_EQ(at_entry(SYS_rt_sigprocmask, {SIG_SETMASK, kQ, 0, 8}, world), "SIG_SETMASK, ~[KILL STOP], NULL, 8");
  world.put(kR, std::array<uint64_t, 4>{1, 0x04000000 | SA_RESTART, 0x5555, 0});
  EXPECT_EQ(at_entry(SYS_rt_sigaction, {SIGPIPE, kR, 0, 8}, world),
            "SIGPIPE, {sa_handler=SIG_IGN, sa_mask=[], sa_flags=SA_RESTORER|SA_RESTART, sa_restorer=0x5555}, NULL, 8");
  EXPECT_EQ(at_entry(SYS_kill, {static_cast<uint64_t>(-5), 34}), "-5, SIGRT_2");
  EXPECT_EQ(at_entry(SYS_kill, {7, 0}), "7, 0");
}

/// As many signals as the mask has bits.
TEST(DecodeArguments, MasksOfLessThanEightBytes) {
  World world;
  world.put(kP, uint8_t{1 << (SIGHUP - 1) | 1 << (SIGTRAP - 1)});
  world.put(kQ, uint32_t{0xfffffffe});
  EXPECT_EQ(at_return(SYS_rt_sigpending, {kP, 1}, 0, world), "[HUP TRAP], 1");
  EXPECT_EQ(at_return(SYS_rt_sigpending, {kQ, 4}, 0, world), "~[HUP], 4");
}

TEST(DecodeArguments, TheRestOfASleep) {
  World world;
  world.put(kP, timespec{5, 6});
  world.put(kQ, timespec{1, 2});
  const std::string asked = "{tv_sec=5, tv_nsec=6}, ", rest = "{tv_sec=1, tv_nsec=2}";
  for (int error : {EINTR, 516, EINVAL, EFAULT, 514}) {
    const bool given = error == EINTR || error == 516;
    const std::string shown = asked + (given ? rest : "0x2000");
    EXPECT_EQ(failed(SYS_nanosleep, {kP, kQ}, error, world), shown) << error;
    EXPECT_EQ(failed(SYS_clock_nanosleep, {CLOCK_MONOTONIC, 0, kP, kQ}, error, world), "CLOCK_MONOTONIC, 0, " + shown)
        << error;
    EXPECT_EQ(failed(SYS_clock_nanosleep, {CLOCK_MONOTONIC, TIMER_ABSTIME, kP, kQ}, error, world),
              "CLOCK_MONOTONIC, TIMER_ABSTIME, " + asked + "0x2000")
        << error;
  }
  EXPECT_EQ(at_return(SYS_nanosleep, {kP, kQ}, 0, world), asked + "0x2000");
  EXPECT_EQ(failed(SYS_nanosleep, {kP, 0}, EINTR, world), asked + "NULL");
}

TEST(DecodeArguments, StructuresOfTheKernelAtTheReturn) {
  World world;
  struct stat file {};
  file.st_mode = S_IFREG | S_ISUID | 0755;
  file.st_size = 42;
  world.put(kP, file);
  EXPECT_EQ(at_return(SYS_fstat, {3, kP}, 0, world), "3, {st_mode=S_IFREG|S_ISUID|0755, st_size=42, ...}");
  EXPECT_EQ(at_entry(SYS_fstat, {3, kP}, world), "3, 0x1000");
  file.st_mode = S_IFCHR | 0620;
  file.st_rdev = 0x8801;
  world.put(kQ, file);
  EXPECT_EQ(at_return(SYS_fstat, {3, kQ}, 0, world), "3, {st_mode=S_IFCHR|0620, st_rdev=makedev(0x88, 0x1), ...}");
  world.put(kR, rlimit{8192 * 1024, RLIM_INFINITY});
  EXPECT_EQ(at_return(SYS_prlimit64, {0, RLIMIT_STACK, 0, kR}, 0, world),
            "0, RLIMIT_STACK, NULL, {rlim_cur=8192*1024, rlim_max=RLIM64_INFINITY}");
  World pipe;
  pipe.put(kP, std::array<int, 2>{3, 4});
  EXPECT_EQ(at_return(SYS_pipe2, {kP, O_CLOEXEC}, 0, pipe), "[3, 4], O_CLOEXEC");
}

TEST(DecodeArguments, WhatAProcessIsMadeOf) {
  EXPECT_EQ(at_entry(SYS_clone, {CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | SIGCHLD, 0, 0, 0x7f00}),
            "child_stack=NULL, flags=CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7f00");
  World world;
  world.text(kP, "/bin/ls");
  world.memory.add_text({0, "ls", false});
  world.memory.add_unreadable_text(0x66);
  world.put(kR, std::array<uint64_t, 3>{1, 1, 0});
  EXPECT_EQ(at_entry(SYS_execve, {kP, kQ, kR}, world), "\"/bin/ls\", [\"ls\", 0x66], 0x3000 /* 2 vars */");
  World empty;
  empty.text(kP, "/bin/ls");
  empty.put(kQ, uint64_t{0});
  empty.memory.count_pointers(kR, "1");
  EXPECT_EQ(at_entry(SYS_execve, {kP, kQ, kR}, empty), "\"/bin/ls\", [], 0x3000 /* 1 var */");
  World endless;
  endless.text(kP, "/bin/ls");
  endless.memory.add_text({0, "ls", false});
  endless.memory.count_pointers(kQ, "1?");
  EXPECT_EQ(at_entry(SYS_execve, {kP, kQ, 0}, endless), "\"/bin/ls\", [\"ls\", ... /* 0x2008 */], NULL");
  World waited;
  waited.put(kP, int{3 << 8});
  EXPECT_EQ(at_return(SYS_wait4, {UINT64_MAX, kP, 0, 0}, 77, waited),
            "-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 3}], 0, NULL");
  EXPECT_EQ(at_return(SYS_wait4, {UINT64_MAX, kP, 1, 0}, 0, waited), "-1, 0x1000, WNOHANG, NULL");
}

TEST(DecodeArguments, HowAChildEnded) {
  const auto text = [](int status) {
    World world;
    world.put(kP, status);
    return at_return(SYS_wait4, {UINT64_MAX, kP, WCONTINUED, 0}, 77, world);
  };
  EXPECT_EQ(text(0xffff), "-1, [{WIFCONTINUED(s)}], WCONTINUED, NULL");
  EXPECT_EQ(text(SIGSTOP << 8 | 0x7f), "-1, [{WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}], WCONTINUED, NULL");
  EXPECT_EQ(text(SIGSEGV | 0x80), "-1, [{WIFSIGNALED(s) && WTERMSIG(s) == SIGSEGV && WCOREDUMP(s)}], WCONTINUED, NULL");
}

/// By argstr and by proc:::exec: dots from 32 words on, since a 33rd is not looked for.
TEST(DecodeArguments, ManyWordsOfAnExec) {
  for (size_t count : {31, 32, 33}) {
    World world;
    world.text(kP, "p");
    std::string shown;
    for (size_t i = 0; i < count; i++) {
      world.memory.add_text({0, "w", false});
      if (i < 32) shown += i == 0 ? "\"w\"" : ", \"w\"";
    }
    const std::string words = "\"p\", [" + shown + (count <= 32 ? "]" : ", ...]");
    EXPECT_EQ(at_entry(SYS_execve, {kP, kQ, 0}, world), words + ", NULL");
    EXPECT_THAT(decode_exec("p", std::vector<std::string>(count, "w"), kTwo), ::testing::StartsWith(words)) << count;
  }
}

TEST(DecodeArguments, DevicesHaveNumbersOtherNodesHaveNone) {
  World world;
  world.text(kP, "p");
  EXPECT_EQ(at_entry(SYS_mknodat, {0xffffff9c, kP, S_IFIFO | 0600, 0}, world), "AT_FDCWD, \"p\", S_IFIFO|0600");
  EXPECT_EQ(at_entry(SYS_mknod, {kP, S_IFCHR | 0600, 0x103}, world), "\"p\", S_IFCHR|0600, makedev(0x1, 0x3)");
}

TEST(DecodeArguments, APollEntryWithoutADescriptorAsksNothing) {
  World world;
  world.put(kP, std::array<pollfd, 2>{pollfd{3, POLLIN, 0}, pollfd{-1, POLLIN, 0}});
  EXPECT_EQ(at_entry(SYS_poll, {kP, 2, 0}, world), "[{fd=3, events=POLLIN}, {fd=-1}], 2, 0");
}

TEST(DecodeArguments, WhoHoldsALock) {
  World world;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_len = 1;
  lock.l_pid = 77;
  world.put(kP, lock);
  const std::string text = "3, F_GETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=1";
  EXPECT_EQ(at_return(SYS_fcntl, {3, F_GETLK, kP}, 0, world), text + ", l_pid=77}");
  EXPECT_EQ(failed(SYS_fcntl, {3, F_GETLK, kP}, EINVAL, world), text + "}");
  EXPECT_EQ(at_return(SYS_fcntl, {3, F_SETLK, kP}, 0, world),
            "3, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=1}");
}

TEST(DecodeArguments, CapabilitiesOfTheFirstVersion) {
  World world;
  world.put(kP, std::array<uint32_t, 2>{_LINUX_CAPABILITY_VERSION_1, 0});
  world.put(kQ, std::array<uint32_t, 6>{1, 3, 0, 1 << 7, 0, 0});  // what follows the first structure is not the call's
  EXPECT_EQ(at_return(SYS_capget, {kP, kQ}, 0, world),
            "{version=0x19980330, pid=0}, {effective=1<<CAP_CHOWN, permitted=1<<CAP_CHOWN|1<<CAP_DAC_OVERRIDE, "
            "inheritable=0}");
}

TEST(DecodeArguments, Capabilities) {
  World world;
  world.put(kP, std::array<uint32_t, 2>{0x20080522, 0});
  world.put(kQ, std::array<uint32_t, 6>{1, 1 | 1u << 31, 0, 1 << 7, 0, 0});
  EXPECT_EQ(at_return(SYS_capget, {kP, kQ}, 0, world),
            "{version=_LINUX_CAPABILITY_VERSION_3, pid=0}, {effective=1<<CAP_CHOWN|1<<CAP_BPF, "
            "permitted=1<<CAP_CHOWN|1<<CAP_SETFCAP, inheritable=0}");
  EXPECT_EQ(at_entry(SYS_prctl, {PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 0, 0, 0}),
            "PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_CHOWN, 0, 0");
  EXPECT_EQ(at_entry(SYS_prctl, {PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0}),
            "PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0");
}

TEST(DecodeArguments, TimersThatSignal) {
  World world;
  sigevent event{};
  event.sigev_signo = SIGALRM;
  world.put(kP, event);
  world.put(kQ, int{0});
  EXPECT_EQ(at_return(SYS_timer_create, {0, kP, kQ}, 0, world),
            "CLOCK_REALTIME, {sigev_signo=SIGALRM, sigev_notify=SIGEV_SIGNAL}, [0]");
  World thread;
  event.sigev_signo = 32;
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_value.sival_ptr = reinterpret_cast<void*>(0x7f0000000005);
  event._sigev_un._tid = 12;
  thread.put(kP, event);
  EXPECT_EQ(at_entry(SYS_timer_create, {1, kP, kQ}, thread),
            "CLOCK_MONOTONIC, {sigev_value={sival_int=5, sival_ptr=0x7f0000000005}, sigev_signo=SIGRTMIN, "
            "sigev_notify=SIGEV_THREAD_ID, sigev_notify_thread_id=12}, 0x2000");
  EXPECT_EQ(at_entry(SYS_timer_create, {0, 0, kQ}), "CLOCK_REALTIME, NULL, 0x2000");
}

TEST(DecodeArguments, TheMaskOfPselect) {
  World world;
  world.put(kP, std::array<uint64_t, 2>{kQ, 8});
  EXPECT_EQ(at_entry(SYS_pselect6, {0, 0, 0, 0, 0, kP}, world),
            "0, NULL, NULL, NULL, NULL, {sigmask=0x2000, sigsetsize=8}");
  world.put(kQ, uint64_t{1} << (SIGCHLD - 1));
  EXPECT_EQ(at_entry(SYS_pselect6, {0, 0, 0, 0, 0, kP}, world),
            "0, NULL, NULL, NULL, NULL, {sigmask=[CHLD], sigsetsize=8}");
}

TEST(DecodeArguments, AnOffsetIsOneWord) {
  EXPECT_EQ(at_entry(SYS_preadv, {3, 0, 0, 5, 0}), "3, NULL, 0, 5");
  EXPECT_EQ(at_entry(SYS_pwritev2, {3, 0, 0, UINT64_MAX, 0, 0x10}), "3, NULL, 0, -1, RWF_APPEND");
}

TEST(DecodeArguments, HowLongASocketLingers) {
  World world;
  world.put(kP, linger{1, 5});
  EXPECT_EQ(at_entry(SYS_setsockopt, {3, SOL_SOCKET, SO_LINGER, kP, 8}, world),
            "3, SOL_SOCKET, SO_LINGER, {l_onoff=1, l_linger=5}, 8");
}

TEST(DecodeArguments, AnErrorThatASocketKeeps) {
  World world;
  world.put(kP, int{ECONNREFUSED});
  world.put(kQ, int{4});
  EXPECT_EQ(at_return(SYS_getsockopt, {3, SOL_SOCKET, SO_ERROR, kP, kQ}, 0, world),
            "3, SOL_SOCKET, SO_ERROR, [ECONNREFUSED], [4]");
  world.put(kR, int{0});
  EXPECT_EQ(at_return(SYS_getsockopt, {3, SOL_SOCKET, SO_ERROR, kR, kQ}, 0, world),
            "3, SOL_SOCKET, SO_ERROR, [0], [4]");
  EXPECT_EQ(at_return(SYS_setsockopt, {3, 270, 11, kR, 4}, 0, world), "3, SOL_NETLINK, NETLINK_EXT_ACK, [0], 4");
}

TEST(DecodeArguments, ByCommand) {
  World world;
  EXPECT_EQ(at_entry(SYS_fcntl, {3, F_SETFD, FD_CLOEXEC}), "3, F_SETFD, FD_CLOEXEC");
  EXPECT_EQ(at_entry(SYS_fcntl, {3, F_GETFL, 0xdead}), "3, F_GETFL");
  EXPECT_EQ(at_entry(SYS_fcntl, {3, F_SETFL, O_RDWR | O_NONBLOCK}), "3, F_SETFL, O_RDWR|O_NONBLOCK");
  struct flock lock {
    F_WRLCK, SEEK_SET, 0, 10, 0
  };
  world.put(kP, lock);
  EXPECT_EQ(at_entry(SYS_fcntl, {3, F_SETLK, kP}, world),
            "3, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=10}");
  EXPECT_EQ(at_entry(SYS_ioctl, {1, TCGETS, kP}), "1, TCGETS, 0x1000");
  EXPECT_EQ(at_entry(SYS_ioctl, {1, 0x40049409, 3}), "1, FICLONE, 3");
  EXPECT_EQ(at_entry(SYS_ioctl, {1, 0xc0104299, kP}), "1, _IOC(_IOC_READ|_IOC_WRITE, 0x42, 0x99, 0x10), 0x1000");
  World window;
  window.memory.add({kP, {}});  // the kernel reads nothing there
  window.put(kP, winsize{24, 80, 0, 0});
  EXPECT_EQ(at_return(SYS_ioctl, {1, TIOCGWINSZ, kP}, 0, window),
            "1, TIOCGWINSZ, {ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=0}");
  EXPECT_EQ(at_entry(SYS_futex, {kP, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1}), "0x1000, FUTEX_WAKE_PRIVATE, 1");
  World timed;
  timed.put(kQ, timespec{1, 5});
  EXPECT_EQ(at_entry(SYS_futex,
                     {kP, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME, 0, kQ, 0, UINT32_MAX}, timed),
            "0x1000, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 0, {tv_sec=1, tv_nsec=5}, FUTEX_BITSET_MATCH_ANY");
  World name;
  name.text(kP, "worker");
  EXPECT_EQ(at_entry(SYS_prctl, {PR_SET_NAME, kP}, name), "PR_SET_NAME, \"worker\"");
  EXPECT_EQ(at_return(SYS_prctl, {PR_GET_NAME, kP}, 0, name), "PR_GET_NAME, \"worker\"");
  EXPECT_EQ(at_entry(SYS_prctl, {PR_GET_NAME, kP}, name), "PR_GET_NAME, 0x1000");
  EXPECT_EQ(at_entry(SYS_prctl, {PR_CAPBSET_READ, 1}), "PR_CAPBSET_READ, CAP_DAC_OVERRIDE");
  for (const auto& [command, text] : {std::pair(0x80086601u, "1, FS_IOC_GETFLAGS, [FS_IMMUTABLE_FL|FS_EXTENT_FL]"),
                                      std::pair(0x80045438u, "1, TIOCGPKT, [524304]")}) {
    World world;
    world.put(kP, 0x80010u);
    EXPECT_EQ(at_return(SYS_ioctl, {1, command, kP}, 0, world), text);
  }
  World size;
  size.put(kP, uint64_t{1} << 40);
  EXPECT_EQ(at_return(SYS_ioctl, {1, 0x80081272u, kP}, 0, size), "1, BLKGETSIZE64, [1099511627776]");
}

/// The kernel's structure has 19 characters, the C library's 32 and two speeds.
TEST(DecodeArguments, SettingsOfATerminal) {
  std::array<uint8_t, 36> settings{};
  const std::array<uint32_t, 4> words = {ICRNL | IXON | 0x80000000u, OPOST | ONLCR | XTABS, B115200 | CS8 | CREAD,
                                         ISIG | ICANON | ECHO};
  std::memcpy(settings.data(), words.data(), sizeof words);
  settings[17] = 3;
  settings[35] = 9;
  World world;
  world.put(kP, settings);
  const std::string flags =
      "{c_iflag=ICRNL|IXON|0x80000000, c_oflag=NL0|CR0|XTABS|BS0|VT0|FF0|OPOST|ONLCR, "
      "c_cflag=B115200|CS8|CREAD, c_lflag=ISIG|ICANON|ECHO, ";
  EXPECT_EQ(at_entry(SYS_ioctl, {0, TCSETS, kP}, world), "0, TCSETS, " + flags + "...}");
  set_shown_amount({32, true});
  EXPECT_EQ(at_return(SYS_ioctl, {0, TCGETS, kP}, 0, world),
            "0, TCGETS, " + flags +
                "c_line=N_TTY, c_cc=[[VINTR]=0x3, [VQUIT]=0, [VERASE]=0, [VKILL]=0, [VEOF]=0, [VTIME]=0, [VMIN]=0, "
                "[VSWTC]=0, [VSTART]=0, [VSTOP]=0, [VSUSP]=0, [VEOL]=0, [VREPRINT]=0, [VDISCARD]=0, [VWERASE]=0, "
                "[VLNEXT]=0, [VEOL2]=0, [17]=0, [18]=0x9]}");
  set_shown_amount({});
  World cut;
  cut.put(kP, words);
  EXPECT_EQ(at_entry(SYS_ioctl, {0, TCSETS, kP}, cut), "0, TCSETS, 0x1000");
}

TEST(DecodeArguments, ArraysAndVectors) {
  World world;
  world.put(kP, std::array<pollfd, 2>{pollfd{3, POLLIN, POLLIN}, pollfd{4, POLLOUT, 0}});
  EXPECT_EQ(at_entry(SYS_poll, {kP, 2, UINT64_MAX}, world), "[{fd=3, events=POLLIN}, {fd=4, events=POLLOUT}], 2, -1");
  EXPECT_EQ(at_entry(SYS_poll, {kP, 0, 1}), "[], 0, 1");
  EXPECT_EQ(result_of(SYS_poll, {kP, 2, UINT64_MAX}, 1, world), "1 ([{fd=3, revents=POLLIN}])");
  EXPECT_EQ(result_of(SYS_poll, {kP, 2, 5}, 0, world), "0 (Timeout)");

  World vector;
  vector.put(kP, std::array<iovec, 2>{iovec{reinterpret_cast<void*>(kQ), 3}, iovec{reinterpret_cast<void*>(kR), 100}});
  vector.text(kQ, "abc");
  vector.text(kR, "defgh");
  EXPECT_EQ(at_entry(SYS_writev, {1, kP, 2}, vector),
            "1, [{iov_base=\"abc\", iov_len=3}, {iov_base=\"defgh\"..., iov_len=100}], 2");
  EXPECT_EQ(at_return(SYS_readv, {1, kP, 2}, 8, vector),
            "1, [{iov_base=\"abc\", iov_len=3}, {iov_base=\"defgh\", iov_len=100}], 2");

  World events;
  epoll_event event{EPOLLIN | EPOLLET, {.u64 = 9}};
  events.put(kP, event);
  EXPECT_EQ(at_entry(SYS_epoll_ctl, {5, EPOLL_CTL_ADD, 9, kP}, events),
            "5, EPOLL_CTL_ADD, 9, {events=EPOLLIN|EPOLLET, data={u32=9, u64=9}}");
  EXPECT_EQ(at_return(SYS_epoll_wait, {5, kP, 64, UINT64_MAX}, 1, events),
            "5, [{events=EPOLLIN|EPOLLET, data={u32=9, u64=9}}], 64, -1");

  World set;
  set.put(kP, uint64_t{1 << 3 | 1 << 5});
  EXPECT_EQ(at_entry(SYS_select, {6, kP, 0, 0, 0}, set), "6, [3 5], NULL, NULL, NULL");
  EXPECT_EQ(result_of(SYS_select, {6, kP, 0, 0, 0}, 2, set), "2 (in [3 5])");
}

TEST(DecodeArguments, AMessage) {
  World world;
  struct msghdr header {};
  iovec part{reinterpret_cast<void*>(kR), 2};
  header.msg_iov = reinterpret_cast<iovec*>(kQ);
  header.msg_iovlen = 1;
  header.msg_control = reinterpret_cast<void*>(0x4000);
  header.msg_controllen = 24;
  world.put(kP, header);
  world.put(kQ, part);
  world.text(kR, "hi");
  struct {
    uint64_t length = 20;
    int level = SOL_SOCKET, type = SCM_RIGHTS, descriptor = 7, padding = 0;
  } control;
  world.put(0x4000, control);
  EXPECT_EQ(at_entry(SYS_sendmsg, {3, kP, 0}, world),
            "3, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"hi\", iov_len=2}], msg_iovlen=1, "
            "msg_control=[{cmsg_len=20, "
            "cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[7]}], msg_controllen=24, msg_flags=0}, 0");
  EXPECT_EQ(failed(SYS_recvmsg, {3, kP, MSG_DONTWAIT}, EAGAIN, world), "3, {msg_namelen=0}, MSG_DONTWAIT");
}

/// A program may have any values in memory; the text stays bounded, and only captured memory is read.
TEST(DecodeArguments, HostileMemory) {
  World world;
  world.put(kP, uint64_t{0});  // much too short for its type
  for (uint32_t number = 0; number < 512; ++number) {
    const Words words = {kP, kP, kP, kP, kP, kP};
    const std::string text = at_return(number, words, 1 << 30, world) + at_entry(number, words, world) +
                             result_of(number, words, 1 << 30, world);
    EXPECT_LT(text.size(), 4096u) << number;
    EXPECT_EQ(text.find_first_not_of(" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_"
                                     "abcdefghijklmnopqrstuvwxyz{|}~"),
              std::string::npos)
        << text;
  }
  World control;
  struct msghdr header {};
  header.msg_control = reinterpret_cast<void*>(kQ);
  header.msg_controllen = UINT64_MAX;
  control.put(kP, header);
  control.put(kQ, std::array<uint64_t, 2>{UINT64_MAX, 0});
  EXPECT_NE(at_entry(SYS_sendmsg, {3, kP, 0}, control).find("cmsg_len=18446744073709551615"), std::string::npos);
}

TEST(DecodeArguments, PrioritiesOfCpuAndDisk) {
  EXPECT_EQ(at_entry(SYS_ioprio_set, {1, 7, 3u << 13 | 5}),
            "IOPRIO_WHO_PROCESS, 7, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 5)");
  EXPECT_EQ(result_of(SYS_ioprio_get, {1, 7}, 2 << 13 | 4), "16388 (IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4))");
  struct {
    uint32_t size = 56, policy = 0;
    uint64_t flags = 1;
    int32_t nice = -3;
    uint32_t priority = 0;
    uint64_t runtime = 1400000, deadline = 0, period = 0;
    uint32_t util_min = 0, util_max = 9;
  } attributes;
  World world;
  world.put(kP, attributes);
  const std::string first =
      "sched_policy=SCHED_OTHER, sched_flags=SCHED_FLAG_RESET_ON_FORK, sched_nice=-3, sched_priority=0, "
      "sched_runtime=1400000, sched_deadline=0, sched_period=0";
  EXPECT_EQ(at_return(SYS_sched_getattr, {7, kP, 56, 0}, 0, world),
            "7, {size=56, " + first + ", sched_util_min=0, sched_util_max=9}, 56, 0");
  attributes.size = 48;
  World old;
  old.put(kP, attributes);
  EXPECT_EQ(at_entry(SYS_sched_setattr, {7, kP, 0}, old), "7, {size=48, " + first + "}, 0");
  EXPECT_EQ(at_entry(SYS_sched_getattr, {7, kP, 56, 0}, world), "7, 0x1000, 56, 0") << "it is not filled in yet";
}

TEST(DecodeArguments, NamesOfAnonymousMappings) {
  World world;
  world.text(kP, "zend_alloc");
  EXPECT_EQ(at_entry(SYS_prctl, {PR_SET_VMA, 0, 0x7000, 4096, kP}, world),
            "PR_SET_VMA, PR_SET_VMA_ANON_NAME, 0x7000, 4096, \"zend_alloc\"");
  EXPECT_EQ(at_entry(SYS_prctl, {PR_SET_VMA, 0, 0x7000, 4096, 0}),
            "PR_SET_VMA, PR_SET_VMA_ANON_NAME, 0x7000, 4096, NULL");
}

TEST(DecodeResult, WhoMayDumpTheProcess) {
  EXPECT_EQ(result_of(SYS_prctl, {PR_GET_DUMPABLE}, 1), "1 (SUID_DUMP_USER)");
  EXPECT_EQ(result_of(SYS_prctl, {PR_GET_KEEPCAPS}, 1), "1");
}

TEST(DecodeResult, NumbersAddressesAndErrors) {
  World world;
  world.memory.describe(3, "/etc/passwd");
  EXPECT_EQ(result_of(SYS_openat, {}, 3, world), "3</etc/passwd>");
  EXPECT_EQ(result_of(SYS_mmap, {}, 0x7f0000), "0x7f0000");
  EXPECT_EQ(result_of(SYS_umask, {}, 022), "022");
  EXPECT_EQ(result_of(SYS_getpid, {}, 1234), "1234");
  EXPECT_EQ(result_of(SYS_fcntl, {3, F_GETFL}, O_RDWR | O_APPEND), "0x402 (flags O_RDWR|O_APPEND)");
  EXPECT_EQ(result_of(SYS_fcntl, {4, F_DUPFD}, 3, world), "3</etc/passwd>");
  EXPECT_EQ(result_of(SYS_fcntl, {3, F_GETFD}, 1), "0x1 (flags FD_CLOEXEC)");
  EXPECT_EQ(decode_result({SYS_openat, {}, true, -1, ENOENT}, {}), "-1 ENOENT (No such file or directory)");
  EXPECT_EQ(decode_result({SYS_read, {}, true, -1, 512}, {}), "? ERESTARTSYS (To be restarted if SA_RESTART is set)");
}

/// Every call has a shape, and no list of captures exceeds the size of a record.
TEST(Captures, FitIntoARecord) {
  for (uint32_t call = 0; call < 512; ++call) {
    if (find_shape(call) == nullptr) continue;
    for (bool returns : {false, true}) {
      uint32_t texts = 0, bytes = 0;
      for (const CallCapture& capture : captures_of(call, {returns, true, true, true})) {
        texts += capture.texts();
        bytes += capture.bytes();
        EXPECT_TRUE(returns || !capture.out) << call;
      }
      EXPECT_LE(texts, kShownStrings + 4) << call;
      EXPECT_LE(bytes, kShownBuffers + 4) << call;
    }
  }
  EXPECT_TRUE(captures_of(SYS_getpid, {true, true, true, true}).empty());
  EXPECT_TRUE(captures_of(SYS_close, {false, true, true, false}).empty());
}

std::string siginfo(int signal, int code, std::array<uint64_t, SONDE_DIF_ARGS> args = {}) {
  args[0] = static_cast<uint64_t>(signal);
  args[1] = static_cast<uint64_t>(code);
  return format_siginfo(args);
}

TEST(Siginfo, AsStraceHasIt) {
  EXPECT_EQ(siginfo(SIGUSR1, SI_USER, {0, 0, 7, 0, 0, 1000}),
            "{si_signo=SIGUSR1, si_code=SI_USER, si_pid=7, si_uid=1000}");
  EXPECT_EQ(siginfo(SIGALRM, SI_KERNEL), "{si_signo=SIGALRM, si_code=SI_KERNEL}");
  EXPECT_EQ(siginfo(SIGRTMIN + 1, SI_TKILL, {0, 0, 7}), "{si_signo=SIGRT_3, si_code=SI_TKILL, si_pid=7, si_uid=0}");
  EXPECT_EQ(siginfo(SIGUSR1, SI_QUEUE, {0, 0, 7, 0, 0, 0, 0, 0x500000007}),
            "{si_signo=SIGUSR1, si_code=SI_QUEUE, si_pid=7, si_uid=0, si_int=7, si_ptr=0x500000007}");
  EXPECT_EQ(siginfo(SIGALRM, SI_TIMER, {0, 0, 0, 0, 0, 0, 0, 9}),
            "{si_signo=SIGALRM, si_code=SI_TIMER, si_int=9, si_ptr=0x9}");
  EXPECT_EQ(siginfo(SIGSEGV, SEGV_MAPERR, {0, 0, 0, 0, 0, 0, 0x10}),
            "{si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=0x10}");
  EXPECT_EQ(siginfo(SIGFPE, FPE_INTDIV), "{si_signo=SIGFPE, si_code=FPE_INTDIV, si_addr=NULL}");
  EXPECT_EQ(siginfo(SIGIO, 1, {0, 0, 0, 0, 0, 0, 0, 0, 3, 65}),
            "{si_signo=SIGIO, si_code=POLL_IN, si_band=65, si_fd=3}");
  EXPECT_EQ(siginfo(SIGUSR1, SI_USER, {0, 0, 7, 0, 0, uint64_t{5} << 32}),
            "{si_signo=SIGUSR1, si_code=SI_USER, si_errno=5, si_pid=7, si_uid=0}");
  EXPECT_EQ(siginfo(SIGUSR1, 77), "{si_signo=SIGUSR1, si_code=77, si_band=0, si_fd=0}");
  EXPECT_EQ(siginfo(0, 0), "{}");
}

TEST(Siginfo, OfAChild) {
  EXPECT_EQ(siginfo(SIGCHLD, CLD_EXITED, {0, 0, 7, 0, 0, 0, 0, 0, 3, 0}),
            "{si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=7, si_uid=0, si_status=3, si_utime=0, si_stime=0}");
  EXPECT_EQ(siginfo(SIGCHLD, CLD_KILLED, {0, 0, 7, 0, 0, 0, 0, 0, SIGTERM, uint64_t{250} << 32 | 1}),
            "{si_signo=SIGCHLD, si_code=CLD_KILLED, si_pid=7, si_uid=0, si_status=SIGTERM, si_utime=1 /* 0.01 s */, "
            "si_stime=250 /* 2.50 s */}");
}

TEST(Siginfo, Ends) {
  EXPECT_EQ(format_end(CLD_EXITED, 3), "exited with 3");
  EXPECT_EQ(format_end(CLD_KILLED, SIGKILL), "killed by SIGKILL");
  EXPECT_EQ(format_end(CLD_DUMPED, SIGSEGV), "killed by SIGSEGV (core dumped)");
}

TEST(DecodeArguments, AnArrayOfTexts) {
  using End = CallMemory::List::End;
  const auto shows = [](CallMemory::List list, ShownAmount amount) {
    World world;
    world.text(kP, "/bin/ls");
    world.memory.add_list(kQ, std::move(list));
    world.memory.count_pointers(kR, "2?");
    set_shown_amount(amount);
    const std::string text = at_entry(SYS_execve, {kP, kQ, kR}, world);
    set_shown_amount({});
    return text;
  };
  const CallMemory::List two{{{0, "ls", false}, {0x66, {}, true}}, End::Null};
  constexpr const char* kAfter = ", 0x3000 /* 2 vars, unterminated */";
  EXPECT_EQ(shows(two, {}), std::string("\"/bin/ls\", [\"ls\", 0x66]") + kAfter);
  EXPECT_EQ(shows({two.texts, End::More}, {}), std::string("\"/bin/ls\", [\"ls\", 0x66, ...]") + kAfter);
  EXPECT_EQ(shows({two.texts, End::Unreadable, 0x5000}, {}),
            std::string("\"/bin/ls\", [\"ls\", 0x66, ... /* 0x5000 */]") + kAfter);
  EXPECT_EQ(shows({{}, End::Null}, {}), std::string("\"/bin/ls\", []") + kAfter);
  EXPECT_EQ(shows(two, {.bytes = 1, .lists = true}), std::string("\"/bin/ls\", [\"l\"..., ...]") + kAfter);
  EXPECT_EQ(shows(two, {.bytes = 1, .whole = true, .lists = true}),
            std::string("\"/bin/ls\", [\"l\"..., 0x66]") + kAfter);
}

TEST(Decode, AnExecThatIsKnownFromElsewhere) {
  const std::vector<std::string> words = {"ls", "-l", std::string(40, 'x')};
  EXPECT_EQ(decode_exec("/bin/ls", words, std::vector<std::string>{"A=1"}),
            "\"/bin/ls\", [\"ls\", \"-l\", \"" + std::string(32, 'x') + "\"...], /* 1 var */");
  EXPECT_EQ(decode_exec("/bin/a\nb", {}, std::vector<std::string>(37, "A=1")), "\"/bin/a\\nb\", [], /* 37 vars */");
  const std::string many = decode_exec("x", std::vector<std::string>(40, "w"), kTwo);
  EXPECT_TRUE(many.ends_with("\"w\", ...], /* 2 vars */")) << many;
  EXPECT_EQ(std::ranges::count(many, 'w'), 32);
  const std::string all = decode_exec("x", std::vector<std::string>(32, "w"), kTwo);
  EXPECT_TRUE(all.ends_with("\"w\"], /* 2 vars */")) << all;
}

TEST(Decode, ASignalsReturnPutsBackAnError) {
  SystemCall call{SYS_rt_sigreturn, {}, true, -EINTR, 0};
  EXPECT_EQ(decode_result(call, {}), "-1 EINTR (Interrupted system call)");
  call.result = 5;
  EXPECT_EQ(decode_result(call, {}), "5");
}

}  // namespace
}  // namespace sonde
