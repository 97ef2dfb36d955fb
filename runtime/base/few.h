// SPDX-License-Identifier: GPL-3.0-or-later
// A list that mostly has one element
//
// The first element is stored in the list itself, in the space of the pointer to the others. There may be a hundred
// thousand such lists (a probe's ECBs, a breakpoint's taps); each costs 16 bytes. A vector costs 24, and an allocation
// of at least 32.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sonde {

template <typename T>
class Few {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Few() = default;
  Few(const Few& other) {
    for (const T& element : other) push_back(element);
  }
  Few(Few&& other) noexcept { swap(other); }
  Few& operator=(Few other) noexcept {
    swap(other);
    return *this;
  }
  ~Few() {
    if (!in_place()) delete[] room_.many;
  }

  T* begin() { return in_place() ? &room_.one : room_.many; }
  T* end() { return begin() + size_; }
  const T* begin() const { return in_place() ? &room_.one : room_.many; }
  const T* end() const { return begin() + size_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void push_back(const T& element) {
    const T copy = element;
    if (size_ == capacity_) grow();
    begin()[size_++] = copy;
  }
  template <typename Wanted>
  void erase_if(Wanted wanted) {
    size_ = static_cast<uint32_t>(std::remove_if(begin(), end(), wanted) - begin());
  }

 private:
  bool in_place() const { return capacity_ == 1; }
  void grow() {
    T* more = new T[size_t{capacity_} * 2];
    std::copy(begin(), end(), more);
    if (!in_place()) delete[] room_.many;
    room_.many = more;
    capacity_ *= 2;
  }
  void swap(Few& other) noexcept {
    std::swap(room_, other.room_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  union Room {
    Room() : many(nullptr) {}
    T one;
    T* many;
  } room_;
  uint32_t size_ = 0, capacity_ = 1;
};

}  // namespace sonde
