// SPDX-License-Identifier: GPL-3.0-or-later
// What the arguments of a system call are
//
//   openat:  dirfd, path, open_flags, open_mode@2 = fd
//   read:    fd, data_out@result, size            = a number
//
// One row per call, generated from the kernel's prototypes and shapes.txt. It has two users: capture.cpp, which names
// the memory that must be captured during the call, and decode.cpp, which makes text of arguments and memory. So both
// know the same calls.
#pragma once

#include <linux/capability.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>
#include <utime.h>

#include <cstdint>

namespace sonde {

// Laid out by hand: clang-format does not find a stable layout for it.
// clang-format off
/// Forms that are neither a constant nor a structure. Those in the first line need no memory; that of the others is
/// read as text, as bytes, or specially.
#define SONDE_FORMS(X) \
  X(unused) X(int) X(uint) X(long) X(size) X(hex) X(pointer) X(octal) X(mode) X(open_mode) X(type_and_mode) X(id) X(fd) X(fd_open_flags) \
  X(dirfd) X(device) X(socket_protocol) X(socket_option) X(mremap_address) X(ipc_key) X(ipc_flags_mode) \
  X(arch_prctl_argument) X(clone_arguments) X(io_priority) X(fcntl_result) X(futex_operation) \
  X(path) X(string) X(data) X(random) X(strings) X(environment) X(msghdr) X(fd_set) X(prctl_argument) X(futex_argument) \
  X(fcntl_argument) X(ioctl_argument) X(sigset_pair)

/// Structures: name, size, most elements that are shown. An array if a count is given.
#define SONDE_STRUCTS(X) \
  X(capability_data, sizeof(__user_cap_data_struct), 2) X(capability_header, sizeof(__user_cap_header_struct), 1) \
  X(clone_args, sizeof(clone_args), 1) X(cpu_set, 1, 128) X(dirents, 1, 4096) X(epoll_event, sizeof(epoll_event), 32) \
  X(fd_pair, 2 * sizeof(int), 1) X(id_at, sizeof(int), 1) X(id_list, sizeof(int), 32) X(int_at, sizeof(int), 1) X(iovec, 16, 16) X(iovec_raw, 16, 16) \
  X(itimerspec, sizeof(itimerspec), 1) X(itimerval, sizeof(itimerval), 1) X(length_at, sizeof(int), 1) X(long_at, sizeof(long), 1) \
  X(open_how, sizeof(open_how), 1) X(option_value, 1, 64) X(pollfd, sizeof(pollfd), 32) X(rlimit, sizeof(rlimit), 1) X(rusage, sizeof(rusage), 1) X(sched_attr, 56, 1) \
  X(sigaction, 32, 1) X(sigevent, 64, 1) X(siginfo, 48, 1) X(sigset, 1, 8) X(sockaddr, 1, 128) X(stack_t, sizeof(stack_t), 1) X(stat, sizeof(struct stat), 1) \
  X(statfs, sizeof(struct statfs), 1) X(statx, sizeof(struct statx), 1) X(sysinfo, sizeof(struct sysinfo), 1) X(timespec, sizeof(timespec), 1) \
  X(timespec_pair, 2 * sizeof(timespec), 1) X(timespec_rest, sizeof(timespec), 1) X(timeval, sizeof(timeval), 1) X(timeval_pair, 2 * sizeof(timeval), 1) \
  X(timezone, sizeof(struct timezone), 1) X(tms, sizeof(tms), 1) X(utimbuf, sizeof(utimbuf), 1) X(utsname, sizeof(utsname), 1) \
  X(wait_status, sizeof(int), 1)

// clang-format on
enum class Form : uint8_t {
  as_constant,   ///< of a set
  as_structure,  ///< in memory
#define SONDE_ENUM(name) as_##name,
  SONDE_FORMS(SONDE_ENUM)
#undef SONDE_ENUM
};

struct Struct {
  enum Id : uint8_t {
#define SONDE_ENUM(name, bytes, most) name,
    SONDE_STRUCTS(SONDE_ENUM)
#undef SONDE_ENUM
  };
};

inline constexpr uint8_t kSizeAt = 16;      ///< kSizeAt + n: argument n points to the size
inline constexpr uint8_t kByResult = 0xfe;  ///< the call's result is the size
inline constexpr uint8_t kNoSize = 0xff;

struct ArgumentShape {
  Form form;
  uint8_t which;  ///< Set::Id or Struct::Id
  uint8_t
      size;  ///< number of the argument with its size (or that decides its meaning), kSizeAt + it, kByResult or kNoSize
  bool out;  ///< the kernel fills it in
};

struct CallShape {
  uint32_t number;
  ArgumentShape arguments[6];
  ArgumentShape result;
  bool before;  ///< at the return its arguments are shown as captured at entry
};

/// Null: no such call.
const CallShape* find_shape(uint32_t number);

/// Size of one, and how many are read.
struct StructSize {
  uint16_t bytes, most;
};
StructSize size_of(Struct::Id id);

}  // namespace sonde
