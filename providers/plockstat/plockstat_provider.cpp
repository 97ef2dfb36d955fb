// SPDX-License-Identifier: GPL-3.0-or-later
// plockstat: locks of programs, as glibc's functions take and release them
//
// glibc has no such probes of its own. So each is a tap on the entry or the returns of a function, with a condition and
// arguments in D (rows.h).
//
// We refused breakpoints inside of glibc's functions, where they wait: they move with each build.
#include "providers/plockstat/rows.h"
#include "providers/provider_entry.h"
#include "providers/translation.h"

namespace sonde::plockstat {
namespace {

constexpr translation::Absent kAbsent[] = {
    {"mutex-sp[iu]n", "glibc counts no spins: a wait is mutex-block to mutex-blocked, however it is spent"},
};

/// The second has the functions in glibc before version 2.34. There libc.so.6 has some under the same names, which lead
/// there: it lacks timedlock.
constexpr std::string_view kLibraries[] = {"libc.so.6", "libpthread.so.0"};
constexpr std::string_view kFunctions[] = {"pthread_mutex_lock", "pthread_mutex_timedlock"};

constexpr translation::Provider kProvider = {
    .name = "plockstat",
    .rows = kRows,
    .absent = kAbsent,
    .files = kLibraries,
    .functions = kFunctions,
    .inside = "__lll_lock_wait",
    .installed = kLibraries,
    .nothing = "has no glibc mapped: plockstat is made of its functions",
};

}  // namespace
}  // namespace sonde::plockstat

extern "C" int sonde_plockstat_register(void) {
  return sonde::translation::register_translation(sonde::plockstat::kProvider);
}

extern "C" void sonde_plockstat_unregister(void) {
  sonde::translation::unregister_translation(sonde::plockstat::kProvider);
}
