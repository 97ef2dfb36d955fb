// SPDX-License-Identifier: GPL-3.0-or-later
// System calls that programs seldom make, although the C library has a function of that name. To add one, add a row;
// tests/programs/libc_calls.c calls the function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

struct CallInstead {
  enum class How : uint8_t {
    Other,   ///< the function of that name makes another call
    Beside,  ///< it makes this one, but programs also use calls that do the same
    Vdso,    ///< the kernel's code in the process answers, without a call
  };
  std::string_view call;
  How how;
  std::string_view instead;  ///< one or more, separated by ", "
};

inline constexpr CallInstead kCallsInstead[] = {
    {"accept", CallInstead::How::Beside, "accept4"},
    {"access", CallInstead::How::Beside, "faccessat, faccessat2"},
    {"chmod", CallInstead::How::Beside, "fchmodat"},
    {"chown", CallInstead::How::Beside, "fchownat"},
    {"clock_gettime", CallInstead::How::Vdso, ""},
    {"clone", CallInstead::How::Beside, "clone3"},
    {"dup2", CallInstead::How::Beside, "dup3"},
    {"epoll_create", CallInstead::How::Beside, "epoll_create1"},
    {"epoll_wait", CallInstead::How::Beside, "epoll_pwait"},
    {"eventfd", CallInstead::How::Other, "eventfd2"},
    {"execve", CallInstead::How::Beside, "execveat"},
    {"exit", CallInstead::How::Other, "exit_group"},
    {"fork", CallInstead::How::Other, "clone"},
    {"fstat", CallInstead::How::Other, "newfstatat"},
    {"getcpu", CallInstead::How::Vdso, ""},
    {"getdents", CallInstead::How::Other, "getdents64"},
    {"getrlimit", CallInstead::How::Other, "prlimit64"},
    {"gettimeofday", CallInstead::How::Vdso, ""},
    {"inotify_init", CallInstead::How::Beside, "inotify_init1"},
    {"lchown", CallInstead::How::Beside, "fchownat"},
    {"link", CallInstead::How::Beside, "linkat"},
    {"lstat", CallInstead::How::Other, "newfstatat"},
    {"mkdir", CallInstead::How::Beside, "mkdirat"},
    {"mknod", CallInstead::How::Other, "mknodat"},
    {"nanosleep", CallInstead::How::Other, "clock_nanosleep"},
    {"open", CallInstead::How::Other, "openat"},
    {"pipe", CallInstead::How::Other, "pipe2"},
    {"poll", CallInstead::How::Beside, "ppoll"},
    {"read", CallInstead::How::Beside, "pread64, readv, recvfrom"},
    {"readdir", CallInstead::How::Other, "getdents64"},
    {"readlink", CallInstead::How::Beside, "readlinkat"},
    {"rename", CallInstead::How::Beside, "renameat, renameat2"},
    {"rmdir", CallInstead::How::Beside, "unlinkat"},
    {"select", CallInstead::How::Other, "pselect6"},
    {"setrlimit", CallInstead::How::Other, "prlimit64"},
    {"sigaction", CallInstead::How::Other, "rt_sigaction"},
    {"signal", CallInstead::How::Other, "rt_sigaction"},
    {"signalfd", CallInstead::How::Other, "signalfd4"},
    {"sigpending", CallInstead::How::Other, "rt_sigpending"},
    {"sigprocmask", CallInstead::How::Other, "rt_sigprocmask"},
    {"stat", CallInstead::How::Other, "newfstatat"},
    {"symlink", CallInstead::How::Beside, "symlinkat"},
    {"time", CallInstead::How::Vdso, ""},
    {"unlink", CallInstead::How::Beside, "unlinkat"},
    {"utime", CallInstead::How::Other, "utimensat"},
    {"utimes", CallInstead::How::Other, "utimensat"},
    {"vfork", CallInstead::How::Beside, "clone, clone3"},
    {"waitpid", CallInstead::How::Other, "wait4"},
    {"write", CallInstead::How::Beside, "pwrite64, writev, sendto"},
};

/// The hint for a call that nobody made; empty: the table has none. `name`: entry or return, for the other call's probe.
std::string hint_on_call(std::string_view call, std::string_view name);

}  // namespace sonde
