// SPDX-License-Identifier: GPL-3.0-or-later
// Structures of the kernel as text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kmod/shared/dif.h"
#include "runtime/syscall/shape.h"

namespace sonde {

/// `bytes`: the captured bytes of one structure, or with `array` of any number. Empty when there are too few for one.
std::string format_structure(Struct::Id id, std::string_view bytes, bool array);

std::string format_mode(uint32_t mode);          ///< S_IFREG|0644
std::string format_device(uint64_t device);      ///< makedev(0x8, 0x1)
std::string format_io_priority(uint64_t value);  ///< IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4)
std::string format_signal(uint64_t number);      ///< SIGINT, SIGRT_1
/// {si_signo=SIGUSR1, si_code=SI_USER, si_pid=7, si_uid=0}. `args`: as in kmod/shared/siginfo.h.
std::string format_siginfo(std::span<const uint64_t, SONDE_DIF_ARGS> args);
/// "exited with 3", "killed by SIGSEGV (core dumped)", of a probe's first two arguments at the end of a thread or process.
std::string format_end(uint64_t how, uint64_t status);
std::string format_signals(std::string_view bits);                ///< [INT CHLD], ~[KILL STOP]; 8 bytes or less
std::string format_address(std::string_view bytes);               ///< {sa_family=AF_INET, ...}
std::string format_bits(std::string_view words, uint64_t count);  ///< [0 3 5]: bits below `count`
std::string format_time(int64_t seconds, int64_t rest, const char* rest_name);
std::string format_lock(std::string_view bytes, bool with_owner);     ///< struct flock
std::string format_ready(std::string_view pollfds);                   ///< [{fd=3, revents=POLLIN}]
std::string format_control(std::string_view bytes, uint64_t length);  ///< control messages

}  // namespace sonde
