// SPDX-License-Identifier: GPL-3.0-or-later
// The ELF objects that processes map
//
// Each is opened when it is first seen, and never by its path alone: a package manager may have put another file there.
// Until its symbols are needed only a descriptor is kept, which also keeps the inode's number from being given to
// another file. If many are open already, a file that has no path any more is read at once, and another is looked for
// again when it is needed. A machine that builds programs maps new files without end, so those that no layout has any more
// are forgotten.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "runtime/process/elf_file.h"
#include "runtime/process/proc_maps.h"

namespace sonde {

/// Context: one thread.
class MappedFiles {
 public:
  /// Keeps the file of a mapping that `pid` has now; `file`, if it is that one.
  void keep(uint32_t pid, const MapEntry& entry, UniqueFd file = UniqueFd());
  /// The object that a mapping of `pid` is of. Null: it cannot be read; once for each file, `complain` has the reason.
  std::shared_ptr<const ElfFile> open(uint32_t pid, const MapEntry& entry);

  std::function<void(const std::string& text)> complain;

  /// What is known by number, or without one by path.
  using Key = std::pair<FileId, std::string>;
  static Key key_of(const MapEntry& entry) { return {entry.file, entry.file.inode == 0 ? entry.path : std::string()}; }
  /// Forgets the others, but not that files were complained about, if these are not very many.
  void forget_others(const std::set<Key>& mapped);
  size_t size() const { return files_.size(); }

 private:
  struct File {
    std::string path;  ///< leads to it, or did
    UniqueFd kept;
    std::shared_ptr<const ElfFile> object;
    std::string why;        ///< why it could not be opened so far
    uint32_t asked_by = 0;  ///< the last process for which that was tried
    bool complained = false;
  };
  void find(File& file, uint32_t pid, const MapEntry& entry);
  std::shared_ptr<const ElfFile> read(const File& file, const FileId& id) const;

  std::map<Key, File> files_;
  size_t kept_ = 0;
};

}  // namespace sonde
