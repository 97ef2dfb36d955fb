// SPDX-License-Identifier: GPL-3.0-or-later
// Which framework the C ABI acts on
//
// Its functions have no handle, because DTrace's have none: dtrace_register() names a provider, dtrace_probe() a probe,
// and neither names a framework. So a process has a list of its living frameworks. A thread acts on the one that it
// made last; a thread that has made none, such as a provider's own, acts on the one in the lowest place of the list.
// Two tracers in one process are two threads, each with a framework of its own. Calls that have a handle (enabling, the
// consumer's firings) do not come here.
//
// Each framework has its own probe ids: BEGIN, END and ERROR are 1, 2 and 3 in each. We refused ids that contain the
// framework, because users see ids.
#pragma once

#include <array>
#include <atomic>

#include "runtime/base/check.h"

namespace sonde {

/// The living objects of a class in this process. Context: any thread, no lock.
template <typename T>
class Living {
 public:
  /// Makes it this thread's object. At most kMost live at a time.
  void add(T* one) {
    for (size_t place = 0; place < kMost; place++) {
      T* nobody = nullptr;
      if (!all_[place].compare_exchange_strong(nobody, one)) continue;
      t_home_ = place + 1;
      return;
    }
    SONDE_CHECK(false);
  }
  void remove(T* one) {
    for (auto& place : all_) {
      T* expected = one;
      place.compare_exchange_strong(expected, nullptr);
    }
  }
  /// The object that this thread acts on; null: none lives.
  T* here() const {
    if (t_home_ != 0)
      if (T* own = all_[t_home_ - 1].load(); own != nullptr) return own;
    for (const auto& place : all_)
      if (T* any = place.load(); any != nullptr) return any;
    return nullptr;
  }

 private:
  static constexpr size_t kMost = 16;
  std::array<std::atomic<T*>, kMost> all_{};
  static inline thread_local size_t t_home_ = 0;  ///< + 1; 0: none
};

}  // namespace sonde
