// SPDX-License-Identifier: GPL-3.0-or-later
// --inject: what happens to chosen calls instead of, or besides, being made
//
//   --inject=openat:error=ENOENT:when=3+2 --> Injection --injection_script()--> D: inject(), __signal(), __delay()
//
// As with strace, each injection counts the calls of each name in each thread; when= chooses by that number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/call_set.h"
#include "runtime/source/capabilities.h"

namespace sonde {

struct Injection {
  CallSet calls;
  std::optional<int64_t> result;  ///< the call is not made, and returns that; -ENOENT: it fails
  int signal = 0;                 ///< sent at the entry; 0: none
  uint64_t delay_enter = 0;       ///< ns before the call
  uint64_t delay_exit = 0;        ///< ns before it returns
  // Which calls of a thread, counted from 1: first, first + step, ... up to last.
  uint64_t first = 1, last = UINT64_MAX, step = 1;
};

/// `text`: as strace's, "SET:error=EPERM:when=2+". Errors: what is wrong with which part.
Result<Injection> parse_injection(std::string_view text);
/// The same for -e fault=SET[:error=E][:when=W]: without an error the call fails with ENOSYS.
Result<Injection> parse_fault(std::string_view text);

/// Errors: ENOTSUP, the source cannot.
Result<void> check_injects(std::string_view source, const SourceCapabilities& can);

/// Clauses to put before, and behind, those that show the calls: between them self->sonde_injected and self->sonde_delayed say
/// what has happened to the thread's call.
struct InjectionScript {
  std::string before, behind;
};
/// `shown` and `paths`: of the list of calls. As with strace, only calls that it shows are changed, and a call that
/// several injections name has the last one. Errors: an injection that changes no call.
Result<InjectionScript> injection_script(const std::vector<Injection>& injections, const CallSet& shown,
                                         const std::vector<std::string>& paths);

}  // namespace sonde
