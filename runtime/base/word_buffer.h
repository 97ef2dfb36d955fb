// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace sonde {

/// Words that are appended and then written by the caller, so append() does not zero them. clear() keeps the memory.
class WordBuffer {
 public:
  WordBuffer() = default;
  WordBuffer(WordBuffer&& from) noexcept
      : words_(std::move(from.words_)), size_(std::exchange(from.size_, 0)), room_(std::exchange(from.room_, 0)) {}
  WordBuffer& operator=(WordBuffer&& from) noexcept {
    words_ = std::move(from.words_);
    size_ = std::exchange(from.size_, 0);
    room_ = std::exchange(from.room_, 0);
    return *this;
  }

  /// Appends `count` words; returns the index of the first one.
  size_t append(size_t count) {
    if (count > room_ - size_) grow(count);
    return std::exchange(size_, size_ + count);
  }
  void clear() { size_ = 0; }
  size_t size() const { return size_; }
  uint64_t& operator[](size_t at) { return words_[at]; }
  const uint64_t& operator[](size_t at) const { return words_[at]; }
  const uint64_t* data() const { return words_.get(); }

 private:
  void grow(size_t count) {
    room_ = std::max(2 * room_, size_ + count);
    auto larger = std::make_unique_for_overwrite<uint64_t[]>(room_);
    std::copy_n(words_.get(), size_, larger.get());
    words_ = std::move(larger);
  }

  std::unique_ptr<uint64_t[]> words_;
  size_t size_ = 0, room_ = 0;
};

}  // namespace sonde
