// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "runtime/base/check.h"

namespace sonde {

/// A failure of the outside world: a text for the user, and the errno (0 when there is none).
class Error {
 public:
  explicit Error(std::string message, int code = 0) : message_(std::move(message)), code_(code) {}

  /// "WHAT: no such process", from an errno.
  static Error from_errno(const std::string& what, int code = errno) {
    return Error(what + ": " + lower(std::strerror(code)), code);
  }

  /// The same error with its context in front: "WHERE: message".
  Error context(const std::string& where) && { return Error(where + ": " + message_, code_); }

  const std::string& message() const { return message_; }
  int code() const { return code_; }

 private:
  static std::string lower(std::string text) {
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + ('a' - 'A'));
    return text;
  }

  std::string message_;
  int code_;
};

/// A value or an Error, with the member names of C++23's std::expected.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit, as std::expected
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    SONDE_CHECK(has_value());
    return std::get<0>(state_);
  }
  T&& value() && {
    SONDE_CHECK(has_value());
    return std::get<0>(std::move(state_));
  }
  const T& value() const& {
    SONDE_CHECK(has_value());
    return std::get<0>(state_);
  }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }
  const Error& error() const& { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit, as std::expected

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  void value() const { SONDE_CHECK(has_value()); }

  Error& error() & { return *error_; }
  Error&& error() && { return *std::move(error_); }
  const Error& error() const& { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace sonde
