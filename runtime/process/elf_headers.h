// SPDX-License-Identifier: GPL-3.0-or-later
// The headers of an ELF file of 64 bits, for who wants to know what a file is and not what is in it. They are read by
// pread(): who maps a file that somebody shortens dies of SIGBUS. The file is open as long as the object lives.
#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/unique_fd.h"

namespace sonde {

class ElfHeaders {
 public:
  /// None: the file cannot be opened, or is none.
  static std::optional<ElfHeaders> read(const std::string& path);

  uint16_t type() const { return head_.e_type; }
  /// Where the program begins, as offset in the file; 0: nowhere.
  uint64_t start() const;
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  /// Where the page of the file's first byte is loaded, as linked.
  uint64_t first() const;
  std::vector<Elf64_Dyn> dynamic() const;
  /// Where the section is loaded, relative to first(), and its size; zeros: it does not exist, or is not loaded.
  std::pair<uint64_t, uint64_t> section(std::string_view name) const;

 private:
  explicit ElfHeaders(UniqueFd fd) : fd_(std::move(fd)) {}
  /// As many of them as there are, at most `count` and some thousand.
  template <typename T>
  std::vector<T> read_array(uint64_t offset, uint64_t count) const;

  UniqueFd fd_;
  Elf64_Ehdr head_{};
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace sonde
