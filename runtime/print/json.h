// SPDX-License-Identifier: GPL-3.0-or-later
// A JSON object on a line, as in docs/format/lines.schema.json
//
//   JsonLine line(out); line.key("pid").number(812); line.key("keys").list(...); line.close();
//
// Two rules make a line readable for every parser. Numbers beyond 2^53-1 are decimal strings, because many readers have
// only doubles. And a string is always UTF-8: other bytes, and a backslash before an x, are \xHH, and the line has
// "esc":true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/agg/functions.h"

namespace sonde {

/// Appends `text` as UTF-8, other bytes as \xHH; `exact`: a backslash before an x, too. True: there were such bytes.
bool append_utf8(std::string_view text, std::string& out, bool exact = true);
/// How many bytes `text` has between the quotes of a JSON string.
size_t json_length(std::string_view text);
/// The longest beginning of `text` whose json_length() is at most `most`. Never cuts a character.
std::string_view cut_for_json(std::string_view text, size_t most);

class JsonLine {
 public:
  /// Appends to `out`. A string has at most `most` bytes, and a list that may be cut most / 16 values. `exact`: a reader
  /// can get every byte back; else a backslash stays as it is, and nothing marks the line, which is for people.
  JsonLine(std::string& out, size_t most, bool exact = true) : out_(out), most_(most), exact_(exact) { out_ += '{'; }

  /// Starts a member: the next value is its value.
  JsonLine& key(std::string_view name);
  void string(std::string_view text);
  void number(int64_t value);
  void number(uint64_t value);
  void number(AggWide value);
  void decimal(AggUnsignedWide value);      ///< always a string
  void time(uint64_t nanoseconds);          ///< since 1970: always a number, which a reader may round
  void microseconds(uint64_t nanoseconds);  ///< 1234.567
  void real(double value);
  void null();
  void boolean(bool value);
  void open(char bracket);
  void close(char bracket);

  /// How many of `count` values fit in a list.
  size_t most_of(size_t count);
  /// Whether a string or a list was cut.
  bool is_cut() const { return cut_; }
  /// Ends the line.
  void finish();

 private:
  void separate();
  void text_number(std::string_view digits, bool is_large);

  std::string& out_;
  size_t most_;
  bool exact_;
  bool first_ = true;
  bool after_key_ = false;
  bool escaped_ = false;
  bool cut_ = false;
};

}  // namespace sonde
