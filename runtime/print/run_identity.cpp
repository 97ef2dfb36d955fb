// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/run_identity.h"

#include <sys/random.h>
#include <sys/timex.h>
#include <sys/utsname.h>

#include <fstream>

#include "runtime/base/check.h"
#include "runtime/base/clock.h"
#include "runtime/format/append.h"

namespace sonde {

std::string random_run_id() {
  uint64_t number = 0;
  SONDE_CHECK(::getrandom(&number, sizeof number, 0) == sizeof number);
  std::string text;
  append_format(text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text;
}

std::string kernel_release() {
  utsname about{};
  return ::uname(&about) == 0 ? about.release : "";
}

uint64_t clock_error() {
  timex state{};
  return ::adjtimex(&state) < 0 ? 0 : static_cast<uint64_t>(state.maxerror) * 1000;
}

uint64_t wall_clock() { return now_of(CLOCK_REALTIME); }

}  // namespace sonde
