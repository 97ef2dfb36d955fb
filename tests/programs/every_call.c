// SPDX-License-Identifier: GPL-3.0-or-later
// Makes every system call of the machine, most of them several times, with arguments that tell what shows them: flags with a bit
// that has no name, structures whose fields differ, memory that can be read even where the call fails. Nothing is harmed, though
// root may run it: descriptors permit nothing, processes do not exist, lengths are too long. A call that ends, forks, blocks or changes the
// process is made in a child.
//
// In the folder where it runs, it makes `file`, `dir` and `link`. Each call comes behind write(-1, "row N NAME", ...), which says which it is. All addresses
// are fixed, and descriptors have the numbers below, so that two runs differ only in pids, times and inodes.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#define HIGH 0x700000000L   // above an int: the kernel does not look at it
#define NOBODY 0x7ffffff0L  // no process has this pid
#define ODD 0x40000000L     // no set of flags has this bit

enum {
  FILE_FD = 3,
  DIR_FD,
  PIPE_OUT,
  PIPE_IN,
  LEFT,
  RIGHT,
  EPOLL,
  EVENT,
  TIMER,
  NOTIFY,
  INET,
  NO_FD = 99,
  CLOSED = 98
};  // NO_FD is a path without the right to do anything

enum { MEMORY = 0x5000000, SIZE = 0x10000, STEP = 0x200 };
#define AT(n) (MEMORY + (n)*STEP)
enum {
  PATH = AT(0),               // "file"
  NONE = AT(1),               // "none/x": neither is there
  FOLDER = AT(2),             // "dir"
  OTHER = AT(3),              // "none/other"
  TEXT = AT(4),               // "user.text"
  DATA = AT(5),               // 128 bytes: "data", 1, 0, ...
  EMPTY = AT(6),              // filled by the kernel
  MORE = AT(7),               // filled by the kernel, too
  SPEC = AT(8),               // two timespecs {1, 2}, {3, 4}
  SHORT = AT(9),              // timespec {0, 1000}
  VAL = AT(10),               // two timevals {1, 2}, {3, 4}
  BADVAL = AT(11),            // timeval {1, 2000000}: no time
  NUMBERS = AT(12),           // ints 7, 8, 9, ...
  LONGS = AT(13),             // longs 7, 8, 9, ...
  VECTOR = AT(14),            // three iovecs
  UNIX = AT(15),              // sockaddr_un "none/socket"
  INET4 = AT(16),             // sockaddr_in 127.0.0.1:7
  INET6 = AT(17),             // sockaddr_in6
  MESSAGE = AT(18),           // msghdr
  SET = AT(19),               // sigset {USR1, TERM, 34}
  POLLS = AT(20),             // three pollfds
  FDS = AT(21),               // fd_set {3, 5}
  ACTION = AT(22),            // kernel's sigaction
  STACK = AT(23),             // stack_t
  EVENT_AT = AT(24),          // epoll_event
  RLIM = AT(25),              // rlimit {3 * 1024, unlimited}
  HOW = AT(26),               // open_how
  CLONE = AT(27),             // clone_args
  SIGEV = AT(28),             // sigevent
  INFO = AT(29),              // siginfo
  CAP = AT(30),               // capability header, version 3, of NOBODY
  CAPS = AT(31),              // capability data
  LENGTH = AT(32),            // int 16
  ARGV = AT(33),              // {"file", "user.text", NULL}
  WORDS32 = AT(34),           // 32 words
  WORDS33 = AT(36),           // 33 words
  PAIR = AT(38),              // {SET, 8}: of pselect6
  ZERO = AT(39),              // zeros
  LINE = AT(40),              // flock
  TERM = AT(41),              // termios
  RLIM1 = AT(42),             // rlimit {1024, 0}
  RAMP = AT(43),              // 64 bytes 1, 2, 3 ...
  IDS = AT(44),               // ids 1000, 1001, 1002
  CREAT = AT(45),             // open_how with O_CREAT
  LONG = AT(47),              // 40 letters: more than a string shows, less than a path
  RLIM2 = AT(48),             // rlimit {1500, 0}
  LAST = MEMORY + SIZE - 16,  // sockaddr_in, behind which there is no memory
  POLL1 = AT(46),             // one pollfd: the eventfd, which can be written
  ROOM = AT(49),              // two iovecs, of EMPTY and MORE
  LINK = AT(50),              // "link": a symbolic link to "file"
  SELF = AT(51),              // capability header, version 3, of the caller
  MADE = AT(53),              // "made": a file that is not there
  LATE = AT(52),              // timespec {8000000000, 1}: in the year 2223
};

struct row {
  const char* name;
  int number;
  char child;
  long words[6];
};
#define ROW(name, ...) {#name, SYS_##name, 0, {__VA_ARGS__}},
#define ALONE(name, ...) {#name, SYS_##name, 1, {__VA_ARGS__}},

// clang-format off
static const struct row rows[] = {
    // what they give
    ALONE(dup, FILE_FD) ALONE(creat, MADE, 0641) ALONE(openat, AT_FDCWD, PATH, O_RDONLY) ALONE(openat2, AT_FDCWD, PATH, ZERO, 24) ALONE(pidfd_open, 1, 0)
    ALONE(userfaultfd, O_CLOEXEC | 1) ALONE(io_uring_setup, 1, EMPTY) ALONE(fanotify_init, 0, O_RDONLY) ALONE(mremap, MEMORY, 4096, 4096, 0)
    ALONE(mmap, MEMORY, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ALONE(socket, AF_INET, SOCK_DGRAM, 0) ALONE(signalfd, -1, SET, 8)
    ALONE(signalfd4, -1, SET, 8, SFD_CLOEXEC) ALONE(inotify_init1, IN_CLOEXEC) ALONE(umask, 0127)
    // files
    ROW(read, FILE_FD, EMPTY, 40) ROW(read, NO_FD, EMPTY, HIGH + 5)
    ROW(write, EVENT, LONGS, 8) ROW(write, NO_FD, DATA, 10) ROW(write, NO_FD, DATA, 100)
    ROW(open, NONE, O_WRONLY | O_CREAT | O_EXCL | ODD, 0751) ROW(open, NONE, O_RDWR | O_TRUNC | O_CLOEXEC, 0751) ROW(open, PATH, O_PATH | O_NOFOLLOW)
    ROW(close, 14) ROW(close, CLOSED)
    ROW(stat, NONE, DATA) ROW(stat, PATH, EMPTY) ROW(fstat, CLOSED, DATA) ROW(fstat, FILE_FD, EMPTY) ROW(lstat, NONE, DATA) ROW(lstat, FOLDER, EMPTY)
    ROW(poll, POLLS, 3, 0) ROW(poll, POLLS, 0, 0) ROW(poll, POLL1, 1, -1)
    ROW(lseek, FILE_FD, 3, SEEK_SET) ROW(lseek, FILE_FD, -2, SEEK_END) ROW(lseek, NO_FD, -5, 77)
    ROW(mmap, 0, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_DENYWRITE, NO_FD, 4096)
    ROW(mmap, 4096, 100, ODD, MAP_SHARED | MAP_FIXED | 0x4, FILE_FD, 1)
    ROW(mprotect, MEMORY + 1, 4097, PROT_WRITE | PROT_GROWSDOWN) ROW(munmap, MEMORY + 1, 4097) ROW(brk, 1)
    ROW(rt_sigaction, SIGKILL, ACTION, EMPTY, 8) ROW(rt_sigaction, SIGUSR2, ACTION, EMPTY, 8) ROW(rt_sigaction, 77, 0, DATA, 4)
    ROW(rt_sigprocmask, 77, SET, DATA, 8) ROW(rt_sigprocmask, SIG_BLOCK, 0, EMPTY, 8) ALONE(rt_sigprocmask, SIG_SETMASK, SET, EMPTY, 8)
    ROW(rt_sigpending, EMPTY, 8) ROW(rt_sigpending, EMPTY, 4) ROW(rt_sigpending, DATA, 77) ROW(rt_sigtimedwait, SET, EMPTY, SHORT, 8) ALONE(rt_sigtimedwait, SET, EMPTY, SPEC, 8) ROW(rt_sigtimedwait, SET, DATA, SPEC, 77)
    ROW(rt_sigqueueinfo, NOBODY, SIGUSR1, INFO) ROW(rt_tgsigqueueinfo, NOBODY, 5, SIGUSR1, INFO) ROW(rt_sigsuspend, SET, 77)
    ALONE(rt_sigsuspend, ZERO, 8) ALONE(rt_sigreturn)
    ROW(ioctl, FILE_FD, TCGETS, EMPTY) ROW(ioctl, FILE_FD, TCSETS, TERM) ROW(ioctl, FILE_FD, FIONREAD, EMPTY) ROW(ioctl, NO_FD, 0x1234, 7)
    ROW(ioctl, NO_FD, FIONBIO, NUMBERS)
    ROW(pread64, FILE_FD, EMPTY, 5, 2) ROW(pread64, NO_FD, DATA, 5, -2) ROW(pwrite64, NO_FD, DATA, 5, -2)
    ROW(readv, FILE_FD, ROOM, 2) ROW(readv, NO_FD, VECTOR, 2) ROW(readv, NO_FD, VECTOR, 3) ROW(writev, NO_FD, VECTOR, 3) ROW(writev, NO_FD, VECTOR, 0)
    ROW(preadv, FILE_FD, ROOM, 2, 1, 0) ROW(preadv2, FILE_FD, ROOM, 2, 1, 0, 0)
    ROW(preadv, NO_FD, VECTOR, 2, 5, 0) ROW(pwritev, NO_FD, VECTOR, 2, 5, 0)
    ROW(preadv2, NO_FD, VECTOR, 2, 5, 0, 0x40000001) ROW(pwritev2, NO_FD, VECTOR, 2, 5, 0, 0x40000003)
    ROW(process_vm_readv, NOBODY, VECTOR, 2, VECTOR, 1, 5) ROW(process_vm_writev, NOBODY, VECTOR, 1, VECTOR, 2, 5)
    ROW(vmsplice, NO_FD, VECTOR, 2, ODD | 3)
    ROW(access, NONE, R_OK | W_OK) ROW(access, NONE, F_OK) ROW(faccessat, AT_FDCWD, NONE, X_OK) ROW(faccessat, DIR_FD, NONE, ODD | 1)
    ROW(faccessat2, NO_FD, NONE, R_OK, AT_EACCESS | AT_EMPTY_PATH | ODD) ROW(pipe, 8) ROW(pipe2, NUMBERS, O_DIRECT | ODD) ALONE(pipe, EMPTY)
    ALONE(pipe2, EMPTY, O_CLOEXEC | O_NONBLOCK)
    ROW(select, 7, FDS, 0, 0, ZERO) ROW(select, -1, FDS, FDS, FDS, VAL) ROW(pselect6, -1, FDS, FDS, FDS, SPEC, PAIR)
    ROW(pselect6, 7, FDS, 0, 0, ZERO, 0)
    ROW(mremap, MEMORY + 1, 1, 2, MREMAP_MAYMOVE, 5) ROW(mremap, MEMORY + 1, 4096, 8192, MREMAP_FIXED | MREMAP_MAYMOVE, MEMORY)
    ROW(msync, MEMORY + 1, 77, MS_ASYNC | MS_INVALIDATE | ODD) ROW(mincore, MEMORY + 1, 77, EMPTY) ROW(madvise, MEMORY + 1, 77, MADV_DONTFORK)
    ROW(madvise, MEMORY + 1, 77, 999) ROW(process_madvise, NO_FD, VECTOR, 2, MADV_COLD, 5) ROW(mlock, 4096, 77) ROW(mlock2, 4096, 77, 1)
    ROW(mlock2, 4096, 77, ODD | 1)
    ROW(munlock, 4096, 77) ROW(mlockall, MCL_FUTURE | ODD) ROW(munlockall)
    ROW(remap_file_pages, MEMORY + 1, 77, PROT_READ, 5, MAP_SHARED | MAP_NONBLOCK)
    ROW(pkey_alloc, 5, ODD | 1) ROW(pkey_mprotect, MEMORY + 1, 77, PROT_READ | PROT_WRITE, 5) ROW(pkey_free, -2)
    ROW(membarrier, 4, 0x77, 5) ROW(membarrier, ODD, 5, -1) ROW(set_mempolicy, 2, 0, 77) ROW(set_mempolicy, 999, 8, 77)
    // descriptors
    ROW(dup, CLOSED) ROW(dup2, FILE_FD, 14) ROW(dup2, CLOSED, 5) ROW(dup3, NO_FD, CLOSED, O_CLOEXEC | ODD) ROW(dup3, FILE_FD, 14, O_CLOEXEC)
    ROW(sendfile, NO_FD, FILE_FD, LONGS, 77) ROW(copy_file_range, NO_FD, LONGS, FILE_FD, LONGS, 77, 5)
    ROW(splice, NO_FD, LONGS, PIPE_IN, LONGS, 77, 3)
    ROW(tee, NO_FD, PIPE_IN, 77, 0xf | ODD) ROW(fcntl, FILE_FD, F_GETFD) ROW(fcntl, FILE_FD, F_SETFD, 1 | ODD) ROW(fcntl, FILE_FD, F_GETFL)
    ROW(fcntl, NO_FD, F_SETLK, LINE) ROW(fcntl, FILE_FD, F_GETLK, LINE) ROW(fcntl, CLOSED, F_DUPFD_CLOEXEC, 5) ROW(fcntl, NO_FD, F_ADD_SEALS, 0x1f)
    ROW(fcntl, NO_FD, F_SETFL, O_APPEND | O_NONBLOCK) ROW(fcntl, NO_FD, F_SETOWN, -5) ROW(fcntl, NO_FD, 999, 5)
    ROW(flock, NO_FD, LOCK_EX | LOCK_NB) ROW(flock, NO_FD, ODD | 1) ROW(fsync, NO_FD) ROW(fdatasync, NO_FD) ROW(syncfs, NO_FD) ROW(sync)
    ROW(truncate, NONE, -5) ROW(ftruncate, NO_FD, -5) ROW(fallocate, NO_FD, 3, -5, 7) ROW(fallocate, NO_FD, ODD | 8, 5, -7)
    ROW(fadvise64, NO_FD, -5, 77, POSIX_FADV_WILLNEED) ROW(fadvise64, NO_FD, -5, 77, 999) ROW(sync_file_range, NO_FD, -5, -7, 7 | ODD)
    ROW(readahead, NO_FD, -5, 77)
    ROW(getdents, DIR_FD, EMPTY, 512) ROW(getdents64, DIR_FD, EMPTY, 512) ROW(getdents, NO_FD, DATA, -1) ROW(getdents64, NO_FD, DATA, 77)
    ROW(epoll_create, 77) ROW(epoll_create, -1) ROW(epoll_create1, EPOLL_CLOEXEC | ODD) ROW(epoll_create1, EPOLL_CLOEXEC)
    ROW(epoll_ctl, EPOLL, EPOLL_CTL_ADD, EVENT, EVENT_AT) ROW(epoll_ctl, EPOLL, EPOLL_CTL_MOD, NO_FD, EVENT_AT)
    ROW(epoll_ctl, NO_FD, 999, FILE_FD, EVENT_AT)
    ROW(epoll_wait, EPOLL, EMPTY, 4, -1) ROW(epoll_wait, NO_FD, DATA, -1, -1) ROW(epoll_pwait, NO_FD, DATA, 4, -1, SET, 8)
    ROW(epoll_pwait, EPOLL, EMPTY, 4, 0, SET, 8) ROW(epoll_pwait2, NO_FD, DATA, 4, SPEC, SET, 8) ROW(epoll_pwait2, EPOLL, EMPTY, 4, ZERO, SET, 8) ROW(ppoll, POLLS, 3, SHORT, SET, 8)
    ROW(ppoll, POLLS, 1, SPEC, SET, 77)
    ROW(epoll_ctl_old) ROW(epoll_wait_old)
    ROW(eventfd, 77) ROW(eventfd2, 77, EFD_SEMAPHORE | ODD) ROW(eventfd2, 77, EFD_CLOEXEC) ROW(signalfd, NO_FD, SET, 8) ROW(signalfd, -1, SET, 77)
    ROW(signalfd4, NO_FD, SET, 8, SFD_NONBLOCK | SFD_CLOEXEC) ROW(signalfd4, -1, SET, 8, ODD | SFD_NONBLOCK) ROW(inotify_init)
    ROW(inotify_init1, IN_CLOEXEC | ODD)
    ROW(inotify_add_watch, NO_FD, PATH, IN_ACCESS | IN_ONESHOT) ROW(inotify_add_watch, NOTIFY, PATH, IN_MODIFY) ROW(inotify_rm_watch, NOTIFY, -5)
    ROW(inotify_rm_watch, NO_FD, 5) ROW(memfd_create, TEXT, MFD_CLOEXEC | 0x100) ROW(memfd_create, TEXT, MFD_ALLOW_SEALING) ROW(memfd_secret, ODD)
    ROW(getrandom, EMPTY, 5, 0xff00 | GRND_NONBLOCK) ROW(getrandom, EMPTY, 5, GRND_NONBLOCK) ROW(close_range, 300, 299, 0)
    ROW(close_range, 300, 400, 4)
    ROW(close_range, 300, -1, ODD | 2) ROW(userfaultfd, ODD | O_CLOEXEC) ROW(fanotify_init, ODD | 5, O_RDWR | O_CLOEXEC)
    ROW(fanotify_mark, NO_FD, 0x5, 0x77, AT_FDCWD, PATH) ROW(io_uring_setup, 0, EMPTY) ROW(io_uring_setup, 10, 8) ROW(io_uring_enter, NO_FD, 5, 7, 0x77, 0, 9)
    ROW(io_uring_register, NO_FD, 999, 8, 7) ROW(bpf, 999, EMPTY, 77) ROW(perf_event_open, 8, -5, 7, NO_FD, 0x77)
    ROW(landlock_create_ruleset, 0, 77, 0x70)
    ROW(landlock_add_rule, NO_FD, 1, 8, 5) ROW(landlock_restrict_self, NO_FD, 5)
    // times
    ROW(nanosleep, SHORT, EMPTY) ALONE(nanosleep, SPEC, EMPTY) ROW(nanosleep, 8, DATA) ROW(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, SPEC, EMPTY)
    ROW(clock_nanosleep, 999, ODD, SPEC, LONGS)
    ALONE(clock_nanosleep, CLOCK_MONOTONIC, 0, SPEC, EMPTY) ALONE(clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, LATE, EMPTY)
    ROW(clock_nanosleep, CLOCK_REALTIME, 0, SHORT, EMPTY) ROW(clock_gettime, CLOCK_BOOTTIME, EMPTY) ROW(clock_gettime, 999, SPEC)
    ROW(clock_getres, CLOCK_MONOTONIC, EMPTY)
    ROW(clock_getres, 999, SPEC) ROW(clock_settime, CLOCK_MONOTONIC, SPEC) ROW(clock_settime, 999, SPEC) ROW(clock_adjtime, 999, EMPTY) ROW(clock_adjtime, CLOCK_BOOTTIME, EMPTY)
    ROW(adjtimex, 8)
    ROW(gettimeofday, EMPTY, MORE) ROW(gettimeofday, 8, 0) ROW(settimeofday, BADVAL, NUMBERS) ROW(time, EMPTY) ROW(time, 0)
    ROW(getitimer, ITIMER_PROF, EMPTY) ROW(getitimer, 999, VAL) ROW(setitimer, ITIMER_VIRTUAL, ZERO, EMPTY) ROW(setitimer, 999, VAL, VAL)
    ROW(timer_create, CLOCK_MONOTONIC, SIGEV, EMPTY) ROW(timer_create, 999, SIGEV, NUMBERS) ROW(timer_gettime, 77, SPEC) ROW(timer_gettime, 0, EMPTY)
    ROW(timer_settime, 77, TIMER_ABSTIME, SPEC, LONGS) ROW(timer_settime, 0, ODD, ZERO, EMPTY) ROW(timer_settime, 0, 0, ZERO, EMPTY)
    ROW(timer_getoverrun, 77)
    ROW(timer_delete, 77) ROW(timerfd_create, 999, TFD_CLOEXEC | ODD) ROW(timerfd_create, CLOCK_REALTIME, TFD_NONBLOCK)
    ROW(timerfd_settime, NO_FD, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, SPEC, LONGS) ROW(timerfd_settime, TIMER, 0, ZERO, EMPTY)
    ROW(timerfd_gettime, TIMER, EMPTY) ROW(timerfd_gettime, NO_FD, SPEC) ROW(alarm, 5000) ROW(alarm, 0)
    // sockets
    ROW(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_UDP) ROW(socket, 999, SOCK_RAW | SOCK_NONBLOCK, 7) ROW(socket, AF_NETLINK, SOCK_RAW, 99)
    ROW(socketpair, AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 77, NUMBERS) ALONE(socketpair, AF_UNIX, SOCK_DGRAM, 0, EMPTY)
    ROW(connect, NO_FD, UNIX, 14) ROW(connect, NO_FD, INET4, HIGH + 16) ROW(connect, NO_FD, INET6, 28) ROW(connect, NO_FD, LAST, HIGH + 16) ROW(bind, NO_FD, INET4, HIGH + 16)
    ROW(bind, NO_FD, UNIX, 20)
    ROW(accept, NO_FD, INET4, LENGTH) ROW(accept, NO_FD, 0, 0) ROW(accept4, NO_FD, INET4, LENGTH, SOCK_CLOEXEC | ODD)
    ROW(getsockname, INET, EMPTY, LENGTH)
    ROW(getsockname, NO_FD, INET4, LENGTH) ROW(getpeername, NO_FD, INET4, LENGTH) ROW(getpeername, LEFT, EMPTY, LENGTH)
    ROW(sendto, NO_FD, DATA, 5, MSG_DONTWAIT | MSG_PEEK, INET4, 16) ROW(sendto, LEFT, DATA, 5, MSG_DONTWAIT, 0, 0)
    ROW(recvfrom, RIGHT, EMPTY, 40, MSG_DONTWAIT | MSG_PEEK, 0, 0) ROW(recvfrom, NO_FD, DATA, 40, MSG_WAITALL, INET4, LENGTH)
    ROW(sendmsg, NO_FD, MESSAGE, MSG_NOSIGNAL) ROW(recvmsg, NO_FD, MESSAGE, MSG_TRUNC) ROW(sendmmsg, NO_FD, 8, 3, MSG_MORE)
    ROW(recvmmsg, NO_FD, 8, 3, MSG_OOB, SPEC)
    ROW(shutdown, NO_FD, SHUT_RDWR) ROW(shutdown, NO_FD, 99) ROW(listen, NO_FD, -5) ROW(setsockopt, NO_FD, SOL_SOCKET, SO_KEEPALIVE, NUMBERS, 4)
    ROW(setsockopt, NO_FD, SOL_TCP, 1, NUMBERS, HIGH + 4) ROW(setsockopt, NO_FD, 999, 7, DATA, 8)
    ROW(getsockopt, LEFT, SOL_SOCKET, SO_TYPE, EMPTY, LENGTH)
    ROW(getsockopt, NO_FD, SOL_IP, 1, NUMBERS, LENGTH)
    // processes
    ALONE(clone, CLONE_PARENT_SETTID | SIGCHLD, 0, EMPTY, MORE, 0) ROW(clone, CLONE_THREAD | CLONE_FS | SIGUSR1, MEMORY, 8, 9, 7)
    ROW(clone3, CLONE, 88) ROW(clone3, CLONE, 5)
    ALONE(fork) ALONE(vfork) ROW(execve, NONE, ARGV, ARGV) ROW(execve, NONE, WORDS32, ARGV) ROW(execve, NONE, WORDS33, 0) ROW(execve, 8, 9, 10)
    ROW(execveat, NO_FD, NONE, ARGV, ARGV, AT_EMPTY_PATH | ODD) ALONE(exit, 5) ALONE(exit, -1) ALONE(exit_group, 5)
    ALONE(wait4, -1, EMPTY, 0, MORE) ROW(wait4, NOBODY, NUMBERS, WNOHANG | WUNTRACED | ODD, LONGS) ROW(wait4, NOBODY, NUMBERS, __WALL | WCONTINUED, LONGS)
    ALONE(waitid, P_ALL, 0, EMPTY, WEXITED, MORE)
    ROW(waitid, P_PID, NOBODY, INFO, WEXITED | WNOWAIT, LONGS) ROW(waitid, 999, 7, INFO, ODD | WSTOPPED, LONGS)
    ROW(kill, NOBODY, SIGUSR1) ROW(kill, NOBODY, 0) ROW(kill, NOBODY, 77) ROW(tkill, NOBODY, 40) ROW(tgkill, NOBODY, 5, SIGTERM)
    ROW(pidfd_open, NOBODY, 0x77)
    ROW(pidfd_getfd, NO_FD, FILE_FD, 0x77) ROW(pidfd_send_signal, NO_FD, SIGHUP, INFO, 0x77) ROW(uname, EMPTY) ROW(uname, 8)
    ROW(getpid) ROW(getppid) ROW(gettid) ROW(getpgrp) ROW(getpgid, NOBODY) ROW(getsid, NOBODY) ALONE(setsid) ROW(setpgid, NOBODY, 5)
    ROW(getuid) ROW(getgid) ROW(geteuid) ROW(getegid) ROW(setuid, -1) ROW(setgid, -1) ROW(setreuid, -1, -1) ROW(setregid, -1, -1)
    ROW(setresuid, -1, -1, -1)
    ROW(setresgid, -1, -1, -1) ALONE(setresuid, -1, -1, 1003) ALONE(setresgid, -1, -1, 1003) ROW(setfsuid, -1) ROW(setfsgid, -1)
    ROW(getresuid, EMPTY, MORE, ZERO)
    ROW(getresgid, EMPTY, MORE, ZERO) ROW(getresuid, 8, NUMBERS, NUMBERS) ROW(getresgid, 8, NUMBERS, NUMBERS) ROW(setgroups, HIGH + 99999, IDS)
    ALONE(setgroups, 3, IDS) ROW(setgroups, -1, IDS)
    ROW(getgroups, 0, 0) ROW(getgroups, -1, IDS) ROW(getgroups, 100, EMPTY) ROW(capget, CAP, CAPS) ROW(capget, SELF, EMPTY) ROW(capget, 8, CAPS) ROW(capset, CAP, CAPS)
    ROW(getrlimit, RLIMIT_NOFILE, EMPTY) ROW(getrlimit, 999, RLIM) ROW(setrlimit, RLIMIT_CORE, RLIM) ROW(setrlimit, 999, RLIM)
    ROW(setrlimit, 999, RLIM1) ROW(setrlimit, 999, RLIM2)
    ROW(prlimit64, NOBODY, RLIMIT_FSIZE, RLIM, RLIM) ROW(prlimit64, 0, RLIMIT_STACK, 0, EMPTY) ROW(getrusage, RUSAGE_CHILDREN, 8)
    ROW(getrusage, 999, LONGS)
    ROW(getrusage, RUSAGE_SELF, EMPTY) ROW(sysinfo, EMPTY) ROW(sysinfo, 8) ROW(times, EMPTY) ROW(times, 8)
    ROW(getpriority, PRIO_USER, -5) ROW(getpriority, PRIO_PROCESS, 0) ROW(getpriority, 999, 5) ROW(setpriority, PRIO_PGRP, NOBODY, -5)
    ROW(setpriority, 999, 5, 7)
    ROW(sched_setparam, NOBODY, NUMBERS) ROW(sched_getparam, NOBODY, NUMBERS) ROW(sched_getparam, 0, EMPTY)
    ROW(sched_setscheduler, NOBODY, SCHED_RR, NUMBERS)
    ROW(sched_setscheduler, NOBODY, 999, NUMBERS) ROW(sched_getscheduler, NOBODY) ROW(sched_getscheduler, 0) ROW(sched_get_priority_max, SCHED_FIFO)
    ROW(sched_get_priority_min, SCHED_RR) ROW(sched_get_priority_max, 999) ROW(sched_get_priority_min, 999) ROW(sched_rr_get_interval, NOBODY, SPEC)
    ROW(sched_rr_get_interval, 0, EMPTY) ROW(sched_setaffinity, NOBODY, 8, LONGS) ROW(sched_getaffinity, NOBODY, 8, LONGS)
    ROW(sched_getaffinity, 0, 128, EMPTY)
    ROW(sched_setattr, NOBODY, 8, 5) ROW(sched_getattr, NOBODY, 8, 77, 5) ROW(sched_yield) ROW(ioprio_set, 999, 5, 7) ROW(ioprio_get, 999, 5)
    ROW(personality, 0xffffffff) ALONE(personality, 8) ROW(arch_prctl, 0x1003, EMPTY) ROW(arch_prctl, 999, 77) ALONE(arch_prctl, 0x1001, 0x1234)
    ROW(prctl, PR_SET_NAME, TEXT) ROW(prctl, PR_GET_NAME, EMPTY) ALONE(prctl, PR_SET_PDEATHSIG, SIGUSR2) ROW(prctl, PR_SET_PDEATHSIG, 0)
    ROW(prctl, PR_GET_PDEATHSIG, EMPTY)
    ROW(prctl, PR_SET_DUMPABLE, 77) ROW(prctl, PR_GET_DUMPABLE) ROW(prctl, PR_CAPBSET_READ, CAP_KILL) ROW(prctl, PR_CAP_AMBIENT, 99, 7, 8, 9)
    ROW(prctl, PR_SET_NO_NEW_PRIVS, 77, 7, 8, 9) ROW(prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) ROW(prctl, 999, 7, 8, 9, 10) ROW(prctl, PR_GET_KEEPCAPS)
    ROW(futex, NUMBERS, FUTEX_WAIT_PRIVATE, 99, SPEC) ROW(futex, NUMBERS, FUTEX_WAKE, 3)
    ROW(futex, NUMBERS, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 99, SPEC, 0, 5)
    ROW(futex, NUMBERS, FUTEX_REQUEUE, 1, 2, LONGS, 77) ROW(futex, NUMBERS, FUTEX_CMP_REQUEUE_PRIVATE, 1, 2, LONGS, 99)
    ROW(futex, NUMBERS, FUTEX_WAKE_OP, 1, 2, LONGS, 0x2000000)
    ROW(futex, NUMBERS + 1, FUTEX_WAKE_BITSET, 1, 0, 0, 77) ROW(futex, NUMBERS, 99, 5, 7, 8, 9) ROW(futex, NUMBERS, FUTEX_UNLOCK_PI, 5)
    ROW(futex_waitv, 8, 99999, 5, SPEC, CLOCK_MONOTONIC) ROW(set_robust_list, MEMORY, 5) ROW(get_robust_list, NOBODY, EMPTY, MORE)
    ROW(get_robust_list, NOBODY, LONGS, LONGS)
    ROW(get_robust_list, 0, EMPTY, MORE) ALONE(set_tid_address, EMPTY) ROW(rseq, MEMORY, 77, 1, 0x123) ROW(rseq, MEMORY, 77, ODD | 1, 0x123)
    ROW(sigaltstack, STACK, EMPTY) ROW(sigaltstack, 0, EMPTY) ROW(sigaltstack, 8, LONGS) ALONE(pause) ROW(restart_syscall)
    ROW(kcmp, NOBODY, 5, 1, 7, 8)
    ROW(ptrace, 99, NOBODY, 5, 7) ROW(seccomp, 99, ODD | 1, 8) ROW(seccomp, 1, 0xffff, 8) ROW(process_mrelease, NO_FD, 5)
    ROW(unshare, CLONE_NEWNET | ODD << 10)
    ROW(unshare, CLONE_NEWIPC | CLONE_PTRACE | CLONE_VFORK) ROW(unshare, CLONE_FS) ROW(setns, NO_FD, CLONE_NEWUTS)
    ROW(setns, NO_FD, CLONE_NEWIPC | 0x1)
    ROW(move_pages, NOBODY, 5, 8, 9, 10, 6) ROW(migrate_pages, NOBODY, 64, 8, 9) ROW(mbind, MEMORY + 1, 77, 2, 8, 7, 5)
    ROW(get_mempolicy, 8, 0, 7, 9, 77)
    ROW(set_mempolicy_home_node, MEMORY + 1, 77, 5, 7) ROW(modify_ldt, 99, 8, 7) ROW(getcpu, EMPTY, MORE, 0) ROW(getcpu, 8, NUMBERS, 9)
    // names of files
    ROW(getcwd, EMPTY, 4000) ROW(getcwd, DATA, 1) ROW(rename, NONE, OTHER) ROW(renameat, AT_FDCWD, NONE, NO_FD, OTHER)
    ROW(renameat2, NO_FD, NONE, AT_FDCWD, OTHER, 3)
    ROW(renameat2, AT_FDCWD, NONE, AT_FDCWD, OTHER, ODD | 1) ROW(mkdir, NONE, 0751) ROW(mkdirat, NO_FD, NONE, 0751) ROW(rmdir, NONE)
    ROW(creat, NONE, 0751) ROW(link, NONE, OTHER)
    ROW(linkat, NO_FD, NONE, AT_FDCWD, OTHER, AT_SYMLINK_FOLLOW | ODD) ROW(unlink, NONE) ROW(unlinkat, NO_FD, NONE, AT_REMOVEDIR | ODD)
    ROW(symlink, NONE, OTHER)
    ROW(symlinkat, NONE, NO_FD, OTHER) ROW(readlink, NONE, DATA, 77) ROW(readlink, LINK, EMPTY, 77) ROW(readlinkat, AT_FDCWD, LINK, EMPTY, 3) ROW(readlinkat, NO_FD, NONE, DATA, HIGH + 77) ROW(chmod, NONE, 06751)
    ROW(fchmod, NO_FD, 0751)
    ROW(fchmodat, NO_FD, NONE, 0751) ROW(chown, NONE, -1, 1001) ROW(fchown, NO_FD, 1000, -1) ROW(lchown, NONE, 1000, 1001)
    ROW(fchownat, NO_FD, NONE, -1, 4000000000, AT_SYMLINK_NOFOLLOW) ROW(mknod, NONE, S_IFCHR | 0640, 0x507)
    ROW(mknod, NONE, S_IFREG | 0640, 5)
    ROW(mknodat, NO_FD, NONE, S_IFBLK | 0640, 0x507) ROW(mknodat, NO_FD, NONE, S_IFIFO | 0640, 5) ROW(openat, NO_FD, NONE, O_RDWR | O_CREAT, 0751)
    ROW(openat, AT_FDCWD, NONE, O_RDONLY | ODD, 0751) ROW(openat2, NO_FD, NONE, HOW, 24) ROW(openat2, NO_FD, NONE, CREAT, 24)
    ROW(openat2, AT_FDCWD, NONE, HOW, 5)
    ROW(newfstatat, NO_FD, NONE, DATA, AT_SYMLINK_NOFOLLOW | ODD) ROW(newfstatat, DIR_FD, ZERO, EMPTY, AT_EMPTY_PATH)
    ROW(statx, NO_FD, NONE, AT_STATX_FORCE_SYNC | AT_SYMLINK_NOFOLLOW, STATX_MODE | STATX_UID | 0x8000, DATA)
    ROW(statx, AT_FDCWD, PATH, 0, STATX_BASIC_STATS, EMPTY)
    ROW(statfs, NONE, LONGS) ROW(statfs, PATH, EMPTY) ROW(fstatfs, CLOSED, LONGS) ROW(fstatfs, FILE_FD, EMPTY) ROW(ustat, 0x507, 8)
    ROW(sysfs, 999, 7, 8)
    ROW(utime, NONE, LONGS) ROW(utimes, NONE, VAL) ROW(futimesat, NO_FD, NONE, VAL) ROW(utimensat, NO_FD, NONE, SPEC, AT_SYMLINK_NOFOLLOW | ODD)
    ROW(utimensat, NO_FD, NONE, 0, 0) ROW(setxattr, NONE, TEXT, DATA, 5, XATTR_CREATE | ODD) ROW(lsetxattr, NONE, TEXT, DATA, 5, XATTR_REPLACE)
    ROW(fsetxattr, NO_FD, TEXT, DATA, 5, 3) ROW(getxattr, NONE, TEXT, DATA, 77) ROW(lgetxattr, NONE, TEXT, DATA, 77)
    ROW(fgetxattr, NO_FD, TEXT, DATA, 77)
    ROW(setxattr, PATH, TEXT, DATA, 5, 0) ROW(getxattr, PATH, TEXT, EMPTY, 77) ROW(lgetxattr, PATH, TEXT, EMPTY, 77)
    ROW(fgetxattr, FILE_FD, TEXT, EMPTY, 77) ROW(listxattr, PATH, EMPTY, 77) ROW(llistxattr, PATH, EMPTY, 77) ROW(flistxattr, FILE_FD, EMPTY, 77)
    ROW(removexattr, PATH, TEXT)
    ROW(listxattr, NONE, DATA, 77) ROW(llistxattr, NONE, DATA, 77) ROW(flistxattr, NO_FD, DATA, 77) ROW(removexattr, NONE, TEXT)
    ROW(lremovexattr, NONE, TEXT)
    ROW(fremovexattr, NO_FD, TEXT) ROW(mount, LONG, NONE, LONG, MS_NOSUID | MS_NODEV | 0x200, LONG) ROW(mount, TEXT, LONG, 0, 0, 0)
    ROW(umount2, NONE, MNT_DETACH | ODD) ROW(pivot_root, NONE, OTHER)
    ROW(swapon, NONE, 0x12345) ROW(swapoff, NONE) ROW(chroot, NONE) ROW(chdir, NONE) ROW(fchdir, NO_FD) ROW(acct, NONE) ROW(uselib, NONE)
    ROW(quotactl, 0x12345, NONE, 7, 8)
    ROW(quotactl_fd, NO_FD, 0x12345, 7, 8) ROW(name_to_handle_at, NO_FD, NONE, 8, 9, 0x77) ROW(open_by_handle_at, NO_FD, 8, O_RDONLY)
    ROW(open_tree, NO_FD, NONE, 0x77)
    ROW(move_mount, NO_FD, NONE, AT_FDCWD, OTHER, 0x77) ROW(fsopen, NONE, 0x77) ROW(fsconfig, NO_FD, 999, TEXT, 8, 7) ROW(fsmount, NO_FD, 0x77, 0x5)
    ROW(fspick, NO_FD, NONE, 0x77) ROW(mount_setattr, NO_FD, NONE, 0x77, 8, 5)
    // the machine, System V, keys, queues, and what no longer exists
    ROW(sethostname, RAMP, HIGH + 65) ROW(setdomainname, RAMP, 65) ROW(syslog, 999, 8, 77) ROW(reboot, 1, 2, 0, 8) ROW(reboot, 1, 2, 999, 8)
    ROW(iopl, 9)
    ROW(ioperm, 70000, 7, 1) ROW(vhangup) ROW(init_module, 8, 7, TEXT) ROW(finit_module, NO_FD, TEXT, ODD) ROW(delete_module, TEXT, O_NONBLOCK)
    ROW(kexec_load, 8, 99, 9, 0x77) ROW(kexec_file_load, NO_FD, CLOSED, 5, TEXT, 0x10000)
    ROW(shmget, 0x1234, 77, 02640) ROW(shmget, IPC_PRIVATE, 0, 02640) ROW(shmat, -1, 8, 010000) ROW(shmat, -1, 8, 030000) ROW(shmctl, -1, 99, 8) ROW(shmdt, 8)
    ROW(semget, 0x1234, 7, 02640) ROW(semget, 0, -1, 01640) ROW(semop, -1, 8, 7) ROW(semtimedop, -1, 8, 7, SPEC) ROW(semctl, -1, 7, 99, 8)
    ROW(msgget, 0x1234, 0640) ROW(msgget, IPC_PRIVATE, 0640)
    ROW(msgsnd, -1, 8, 77, 04000) ROW(msgrcv, -1, 8, 77, -5, 04000) ROW(msgctl, -1, 99, 8) ROW(mq_open, TEXT, O_RDWR | O_CREAT, 0640, 8)
    ROW(mq_unlink, TEXT)
    ROW(mq_timedsend, NO_FD, DATA, 5, 7, SPEC) ROW(mq_timedreceive, NO_FD, DATA, 5, NUMBERS, SPEC) ROW(mq_notify, NO_FD, SIGEV)
    ROW(mq_getsetattr, NO_FD, 8, 9)
    ROW(add_key, TEXT, NONE, DATA, 5, -5) ROW(request_key, TEXT, NONE, PATH, -5) ROW(keyctl, 999, 7, 8, 9, 10)
    ROW(io_setup, 0, 8) ROW(io_setup, 10, 8) ROW(io_destroy, 5) ROW(io_getevents, 5, 7, 9, 8, SPEC) ROW(io_submit, 5, 7, 8) ROW(io_cancel, 5, 8, 9)
    ROW(io_pgetevents, 5, 7, 9, 8, SPEC, 10) ROW(lookup_dcookie, 5, 8, 77) ROW(set_thread_area) ROW(get_thread_area) ROW(_sysctl) ROW(create_module)
    ROW(get_kernel_syms) ROW(query_module) ROW(nfsservctl) ROW(getpmsg) ROW(putpmsg) ROW(afs_syscall) ROW(tuxcall) ROW(security) ROW(vserver)
};
// clang-format on
enum { ROWS = sizeof rows / sizeof *rows };

#define LAY(type, at, ...) *(type*)(uintptr_t)(at) = (type)__VA_ARGS__

static void lay_words(uintptr_t at, int count) {
  for (int i = 0; i < count; ++i) ((uint64_t*)at)[i] = PATH;
}

static void lay_sockets(void) {
  LAY(struct sockaddr_un, UNIX, {AF_UNIX, "none/socket"});
  LAY(struct sockaddr_in, INET4, {AF_INET, 7 << 8, {0x0100007f}, {0}});
  LAY(struct sockaddr_in6, INET6, {AF_INET6, 7 << 8, 0, IN6ADDR_LOOPBACK_INIT, 0});
  LAY(struct msghdr, MESSAGE, {(void*)UNIX, 14, (void*)VECTOR, 2, NULL, 0, 0});
  LAY(int, LENGTH, 16);
}

static void lay_memory(void) {
  memset((void*)MEMORY, 0, SIZE);
  strcpy((char*)PATH, "file"), strcpy((char*)NONE, "none/x"), strcpy((char*)FOLDER, "dir"),
      strcpy((char*)OTHER, "none/other");
  strcpy((char*)TEXT, "user.text"), strcpy((char*)LINK, "link"), strcpy((char*)MADE, "made");
  memset((void*)LONG, 'l', 40);
  memcpy((void*)DATA, "data\1\0more\n", 12);
  for (int i = 0; i < 64; ++i) ((char*)RAMP)[i] = i + 1;
  for (int i = 0; i < 16; ++i) ((int*)NUMBERS)[i] = i + 7, ((long*)LONGS)[i] = i + 7, ((int*)IDS)[i] = i + 1000;
  long* spec = (long*)SPEC;
  long* val = (long*)VAL;
  for (int i = 0; i < 4; ++i) spec[i] = val[i] = i + 1;
  LAY(struct timespec, SHORT, {0, 1000});
  LAY(struct timespec, LATE, {8000000000, 1});
  LAY(struct timeval, BADVAL, {1, 2000000});
  struct iovec* vector = (struct iovec*)VECTOR;
  vector[0] = (struct iovec){(void*)DATA, 5}, vector[1] = (struct iovec){(void*)TEXT, 9},
  vector[2] = (struct iovec){(void*)8, 100};
  struct iovec* room = (struct iovec*)ROOM;
  room[0] = (struct iovec){(void*)EMPTY, 4}, room[1] = (struct iovec){(void*)MORE, 3};
  lay_sockets();
  LAY(uint64_t, SET, 1 << 9 | 1 << 14 | 1L << 33);
  struct pollfd* polls = (struct pollfd*)POLLS;
  polls[0] = (struct pollfd){EVENT, POLLIN | POLLOUT, 0}, polls[1] = (struct pollfd){-1, POLLPRI, 0},
  polls[2] = (struct pollfd){CLOSED, POLLHUP | 0x4000, 0};
  LAY(struct pollfd, POLL1, {EVENT, POLLOUT | POLLIN, 0});
  LAY(uint64_t, FDS, 1 << 3 | 1 << 6);
  uint64_t* action = (uint64_t*)ACTION;
  action[0] = 1, action[1] = SA_RESTART | SA_NODEFER, action[2] = 0, action[3] = 1 << 9;
  LAY(stack_t, STACK, {(void*)EMPTY, 0x77, 20000});
  LAY(struct epoll_event, EVENT_AT, {EPOLLIN | EPOLLET, {.u64 = 0x500000007}});
  LAY(struct rlimit, RLIM, {3 * 1024, RLIM_INFINITY});
  LAY(struct rlimit, RLIM1, {1024, 0});
  LAY(struct rlimit, RLIM2, {1500, 0});
  LAY(struct sockaddr_in, LAST, {AF_INET, 7 << 8, {0x0100007f}, {0}});
  uint64_t* how = (uint64_t*)HOW;
  how[0] = O_WRONLY | O_APPEND, how[1] = 0600, how[2] = 4;
  uint64_t* creat = (uint64_t*)CREAT;
  creat[0] = O_WRONLY | O_CREAT, creat[1] = 0600, creat[2] = 4;
  uint64_t* clone = (uint64_t*)CLONE;
  clone[0] = CLONE_THREAD | CLONE_FS, clone[4] = SIGCHLD, clone[5] = 0x1000, clone[6] = 0x2000;
  *(union sigval*)SIGEV = (union sigval){.sival_int = 5};
  ((int*)SIGEV)[2] = SIGUSR2, ((int*)SIGEV)[3] = SIGEV_SIGNAL;
  int* info = (int*)INFO;
  info[0] = SIGUSR1, info[2] = SI_QUEUE, info[4] = 7, info[5] = 8, info[6] = 9;
  LAY(struct __user_cap_header_struct, CAP, {_LINUX_CAPABILITY_VERSION_3, NOBODY});
  LAY(struct __user_cap_header_struct, SELF, {_LINUX_CAPABILITY_VERSION_3, 0});
  struct __user_cap_data_struct* caps = (void*)CAPS;
  caps[0] = (struct __user_cap_data_struct){1 << CAP_KILL, 1 << CAP_CHOWN, 0},
  caps[1].inheritable = 1 << (CAP_SYSLOG - 32);
  uint64_t* argv = (uint64_t*)ARGV;
  argv[0] = PATH, argv[1] = TEXT;
  lay_words(WORDS32, 32), lay_words(WORDS33, 33);
  uint64_t* pair = (uint64_t*)PAIR;
  pair[0] = SET, pair[1] = 8;
  LAY(struct flock, LINE, {F_RDLCK, SEEK_END, 5, 6, 7});
  LAY(struct termios, TERM, {.c_oflag = OPOST, .c_lflag = ISIG | ICANON | ECHO, .c_cflag = B38400});
}

static long call(int number, const long* words) {
  register long r10 __asm__("r10") = words[3];
  register long r8 __asm__("r8") = words[4];
  register long r9 __asm__("r9") = words[5];
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"((long)number), "D"(words[0]), "S"(words[1]), "d"(words[2]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static void make(int i) {
  static const long zero[6];
  char text[64];
  int length = snprintf(text, sizeof text, "row %d %s", i, rows[i].name);
  syscall(SYS_write, -1, text, length);
  int number = rows[i].number;
  long result = call(number, rows[i].words);
  if (result == 0 && (number == SYS_fork || number == SYS_vfork || number == SYS_clone)) call(SYS_exit_group, zero);
  if (result >= 0 && number == SYS_msgget) msgctl((int)result, IPC_RMID, NULL);
}

static void interrupted(int unused) { (void)unused; }

// What a call needs that otherwise waits for ever, or gives nothing: signals, a child that has ended, a pending signal.
static void prepare(int number) {
  struct sigaction action = {.sa_handler = interrupted};
  struct itimerval often = {{0, 20000}, {0, 20000}};
  sigaction(SIGALRM, &action, NULL);
  if (number == SYS_pause || number == SYS_rt_sigsuspend || number == SYS_nanosleep || number == SYS_clock_nanosleep)
    setitimer(ITIMER_REAL, &often, NULL);
  umask(0137);
  if ((number == SYS_wait4 || number == SYS_waitid) && fork() == 0) _exit(5);
  if (number == SYS_rt_sigtimedwait) {
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, SET, NULL, 8);
    raise(SIGTERM);
  }
}

static void make_alone(int i) {
  pid_t child = fork();
  if (child != 0) {
    waitpid(child, NULL, 0);
    return;
  }
  int number = rows[i].number;
  prepare(number);
  make(i);
  if (number == SYS_fork || number == SYS_vfork || number == SYS_clone) wait(NULL);
  _exit(0);
}

static int descriptors(void) {
  int pair[2];
  if (open("file", O_RDWR | O_CREAT | O_TRUNC, 0640) != 3 || open("file", O_PATH) != 4 || dup2(4, NO_FD) != NO_FD ||
      close(3) || close(4))
    return -1;
  if (open("file", O_RDWR | O_CREAT | O_TRUNC, 0640) != FILE_FD || write(FILE_FD, "0123456789\n", 11) != 11 ||
      (mkdir("dir", 0750) && errno != EEXIST))
    return -1;
  if (symlink("file", "link") && errno != EEXIST) return -1;
  if (open("dir", O_RDONLY | O_DIRECTORY) != DIR_FD || pipe(pair) || pair[1] != PIPE_IN) return -1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || epoll_create1(0) != EPOLL || eventfd(3, EFD_NONBLOCK) != EVENT)
    return -1;
  if (timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK) != TIMER || inotify_init() != NOTIFY) return -1;
  return socket(AF_INET, SOCK_DGRAM, 0) == INET ? 0 : -1;
}

// Arguments: numbers of rows; without any, all are made.
int main(int argc, char** argv) {
  for (int fd = 3; fd < 100; ++fd) close(fd);
  if (descriptors() ||
      mmap((void*)MEMORY, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    return 2;
  signal(SIGUSR1, SIG_IGN), signal(SIGPIPE, SIG_IGN);
  lseek(FILE_FD, 0, SEEK_SET);
  for (int i = 0; i < ROWS; ++i) {
    if (argc > 1 && i != atoi(argv[1])) continue;
    lay_memory();
    (rows[i].child ? make_alone : make)(i);
  }
  return 0;
}
