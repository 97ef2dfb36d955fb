// SPDX-License-Identifier: GPL-3.0-or-later
// Files that somebody serves
//
// A file of FUSE or of a network file system comes from another process, or another machine. That may hang, or be a target
// that stands in a stop which only we can end. Who looks such a file up, opens, reads or touches it then sleeps, and only
// SIGKILL wakes it. So:
//
//   sonde:      a thread copies the file to memory, and all that reads the file reads the copy. Sonde waits for the thread
//               while it gets on, and then not any more: a file that does not come is a file that cannot be read.
//   the guard:  opens none of them.
//
// We refused to ask first whether the server answers, and to open the file then: the server may stop in between, and a
// mapped file is read again at any time. The price is the memory of the copies, and a read of the whole file.
#pragma once

#include <string>

#include "runtime/process/proc_maps.h"

namespace sonde {

/// From now on this process opens no such file (the guard).
void refuse_served_files();

/// A path in /proc/self/fd that leads to a copy of the file, which `pid` has mapped; it stays valid. Waits until the copy
/// is made, as long as its thread gets on within a second, or within 200 ms once somebody has asked the run to end.
/// Errors: ETIMEDOUT the server does not answer, and none of its files is tried again for ten seconds; ESTALE, see
/// file_of(); EFBIG the copies would take more than 1 GiB; EAGAIN this process opens none, or there is no thread to be had.
/// Context: one thread.
Result<std::string> copy_of_served(uint32_t pid, const MapEntry& entry);

/// Which file a path of copy_of_served() is a copy of, and by which path it was found.
struct CopiedFile {
  FileId file;
  std::string original;
};
/// Null: it is no path of a copy.
const CopiedFile* copied_file(const std::string& path);
/// The path of the copy of that file; empty: there is none.
std::string path_of_copy(const FileId& file);

}  // namespace sonde
