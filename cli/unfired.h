// SPDX-License-Identifier: GPL-3.0-or-later
// Clauses that nothing fired
//
//   syscall::open:entry did not fire
//       the C library's open() makes the call openat: syscall::openat:entry
//
// A clause without a record looks the same as one whose probes never come, and a newcomer waits for it in vain. So the
// end of the run names it, with the likely reason. It names none of BEGIN, END, ERROR and tick; none if BEGIN has called
// exit(); and, if the run was to be quiet or the script has ended it, only those with a reason, which are mistakes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/calls.h"
#include "cli/session.h"
#include "compiler/compiler.h"

namespace sonde {

/// One message for each such clause of `texts`, each of which was compiled to the element of `compiled` at its place.
/// Call it after Session::run(). It ends all enablings.
std::vector<std::string> unfired_clauses(Session& session, std::span<const SourceText> texts,
                                         std::span<const CompiledText> compiled, bool quiet);

/// For the prompt's list of clauses: "nothing has fired it", with the likely reason; empty: something has, or it needs
/// no word. `enablings`: of one text, each of the clause at its place.
std::string unfired_note(Session& session, std::span<const uint32_t> enablings, std::span<const uint32_t> clauses);

/// For the list of calls, after its run: the calls that it was to show, or the paths that they were to name, if nobody
/// made any such call; else empty. With only calls that fail or succeed nothing is known.
std::string unmade_calls(Session& session, const CallList& list);

}  // namespace sonde
