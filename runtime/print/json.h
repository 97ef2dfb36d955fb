// SPDX-License-Identifier: GPL-3.0-or-later
// A JSON object on a line, as docs/format/lines.schema.json has it
//
//   JsonLine line(out); line.key("pid").number(812); line.key("keys").list(...); line.close();
//
// Two things keep a line readable by everybody. Numbers beyond 2^53-1 are decimal strings, for most readers have doubles only. And a
// string is always UTF-8: what is not, and a backslash before an x, is \xHH, and the line says so by "esc":true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/agg/functions.h"

namespace sonde {

/// `text` as UTF-8, other bytes as \xHH. True: there were any.
bool append_utf8(std::string_view text, std::string& out);

class JsonLine {
 public:
  /// Appends to `out`. A string has at most `most` bytes, and a list that may be cut most / 16 values.
  JsonLine(std::string& out, size_t most) : out_(out), most_(most) { out_ += '{'; }

  /// The next value's name.
  JsonLine& key(std::string_view name);
  void string(std::string_view text);
  void number(int64_t value);
  void number(uint64_t value);
  void number(AggWide value);
  void decimal(AggUnsignedWide value);  ///< always a string
  void time(uint64_t nanoseconds);      ///< since 1970: always a number, which a reader may round
  void real(double value);
  void null();
  void boolean(bool value);
  void open(char bracket);
  void close(char bracket);

  /// How many of `count` values a list may have.
  size_t most_of(size_t count);
  /// A string or a list was cut.
  bool is_cut() const { return cut_; }
  /// The end of the line.
  void finish();

 private:
  void separate();
  void text_number(std::string_view digits, bool is_large);

  std::string& out_;
  size_t most_;
  bool first_ = true;
  bool after_key_ = false;
  bool escaped_ = false;
  bool cut_ = false;
};

}  // namespace sonde
