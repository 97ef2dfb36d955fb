// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/syscall/constants.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "runtime/syscall/text.h"

namespace sonde {
namespace {

#define SONDE_CONSTANTS(name, ...) constexpr Constant k_##name[] = {__VA_ARGS__};
#define SONDE_SET(name, flags, base, mask)
#include SONDE_ARCH_CONSTANTS
#undef SONDE_CONSTANTS
#undef SONDE_SET

struct SetInfo {
  std::span<const Constant> all;
  bool flags;
  Set::Id base;  ///< the set for the bits of `mask`
  uint64_t mask;
};

constexpr SetInfo kSets[] = {
#define SONDE_CONSTANTS(name, ...)
#define SONDE_SET(name, flags, base, mask) {k_##name, flags, Set::base, mask},
#include SONDE_ARCH_CONSTANTS
#undef SONDE_CONSTANTS
#undef SONDE_SET
};

/// The names that cover `left`, widest first; removes the covered bits from it.
std::vector<const Constant*> cover(const SetInfo& set, uint64_t& left) {
  std::vector<const Constant*> chosen;
  for (int bits = 64; bits > 0 && left != 0; --bits) {
    for (const Constant& one : set.all) {
      if (std::popcount(one.value) != bits || (left & one.value) != one.value) continue;
      left &= ~one.value;
      chosen.push_back(&one);
    }
  }
  std::ranges::sort(chosen, {}, [](const Constant* one) { return one->value; });
  return chosen;
}

}  // namespace

std::optional<std::string_view> name_of(Set::Id set, uint64_t value) {
  const auto all = kSets[set].all;
  const auto found = std::ranges::lower_bound(all, value, {}, &Constant::value);
  if (found == all.end() || found->value != value) return std::nullopt;
  return found->name;
}

std::string format_constant(Set::Id id, uint64_t value) {
  const SetInfo& set = kSets[id];
  const auto name = name_of(id, value);
  if (!set.flags || (name && set.base == Set::none)) return name ? std::string(*name) : hex_text(value);
  std::string text;
  const auto append = [&text](std::string_view word) { text += (text.empty() ? "" : "|") + std::string(word); };
  uint64_t left = value & ~set.mask;
  if (set.base != Set::none) append(format_constant(set.base, value & set.mask));
  for (const Constant* one : cover(set, left)) append(one->name);
  if (left != 0) append(hex_text(left));
  return text.empty() ? "0" : text;
}

}  // namespace sonde
