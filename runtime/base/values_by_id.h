// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace sonde {

/// Values of things with small ids, such as probes, of which neighbours often have the same: it is kept once. Four bytes an
/// id. A value lives as long as the table.
template <typename Value>
class ValuesById {
 public:
  /// Null: the id has none.
  const Value* find(uint32_t id) const {
    return id < places_.size() && places_[id] != 0 ? &values_[places_[id] - 1] : nullptr;
  }
  bool contains(uint32_t id) const { return find(id) != nullptr; }
  bool empty() const { return used_ == 0; }

  void set(uint32_t id, const Value& value) {
    set(
        id, [&](const Value& known) { return known == value; }, [&] { return value; });
  }
  /// The same of the value that `make` returns, which is made only if none of the last few is that value.
  template <typename Is, typename Make>
  void set(uint32_t id, Is is, Make make) {
    if (id >= places_.size()) places_.resize(std::max<size_t>(id + 1, places_.size() * 2));
    used_ += places_[id] == 0 ? 1 : 0;
    places_[id] = place_of(is, make);
  }
  void erase(uint32_t id) {
    if (!contains(id)) return;
    places_[id] = 0;
    used_--;
  }

 private:
  /// Looks only at the last few: entries and returns take turns.
  template <typename Is, typename Make>
  uint32_t place_of(Is is, Make make) {
    const size_t some = std::min<size_t>(4, values_.size());
    auto at = values_.end();
    for (size_t back = 0; back < some; back++)
      if (is(*--at)) return static_cast<uint32_t>(values_.size() - back);
    values_.push_back(make());
    return static_cast<uint32_t>(values_.size());
  }

  std::vector<uint32_t> places_;  ///< of each id in `values_`, from 1 on; 0: it has none
  std::deque<Value> values_;
  size_t used_ = 0;
};

}  // namespace sonde
