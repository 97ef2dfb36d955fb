// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sonde {

/// Writes "sonde: out of memory" and ends the process with status 1. Needs no memory; runs no destructor.
///
/// It is the new-handler of every process that links this file, where less than 1 MiB is to be had: LLVM's destructors do
/// not survive an exception that left one of its functions half done, and those that need memory to tell the end have
/// none. The guard, which is a process of its own, lets the traced programs go. A request that is too large by itself throws
/// std::bad_alloc: a script's or a plug-in's size is an error like others.
[[noreturn]] void end_without_memory();

}  // namespace sonde
