// SPDX-License-Identifier: MIT
// Lookups that answer with a pointer: null where there is nothing.
#pragma once

#include <algorithm>
#include <functional>
#include <ranges>

namespace sonde {

/// What a map has for `key`.
template <typename Map, typename Key>
auto* find_in(Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}

/// The row whose `field` is `key`, of rows that are sorted by it.
template <std::ranges::borrowed_range Rows, typename Key, typename Field>
constexpr auto* find_sorted(Rows&& rows, const Key& key, Field field) {
  const auto at = std::ranges::lower_bound(rows, key, {}, field);
  return at != std::ranges::end(rows) && std::invoke(field, *at) == key ? &*at : nullptr;
}

}  // namespace sonde
