// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sonde {

/// A type, as print() needs it. The target of a pointer is not part of it, so layouts are trees.
struct TypeLayout {
  enum class Kind : uint8_t { Integer, Enum, Pointer, Float, Text, Array, Record };
  struct Member {
    std::string name;
    uint64_t offset = 0;
    uint32_t bit_offset = 0, bit_width = 0;  ///< bit_width 0: no bit-field
    std::shared_ptr<const TypeLayout> type;
  };
  Kind kind = Kind::Integer;
  std::string name;  ///< in D: "struct foo", "char [16]"
  uint64_t size = 0;
  bool is_signed = false;
  bool character = false;  ///< an Integer that is a char
  uint64_t count = 0;      ///< of an Array
  std::shared_ptr<const TypeLayout> element;
  std::vector<Member> members;
  std::vector<std::pair<int64_t, std::string>> enumerators;
};

}  // namespace sonde
