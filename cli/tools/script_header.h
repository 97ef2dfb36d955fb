// SPDX-License-Identifier: GPL-3.0-or-later
// The header of a script: its first comment, which says the same to a reader and to sonde
//
//   /*
//    * fileslower: reads and writes of files that take long
//    *
//    * Paragraphs that say what it prints.
//    *
//    * word PATTERN: the functions, as malloc or 'str*'
//    * option min=TIME 10ms: only calls that take at least this long
//    * option failed: only calls that fail
//    * needs: what it does not work without
//    * example: sonde fileslower --min=1ms make
//    *     what one sees
//    */
//
// A comment is a header if its first line begins with the file's own name, without .d, and a colon. A row goes on in lines
// that are indented. A word and an option are macro variables of the script: $1 for the first word; $min and $failed for
// these options, and $$min as a string.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

struct ScriptWord {
  std::string name, sentence;  ///< "PATTERN"
};

struct ScriptOption {
  std::string name;     ///< lower-case letters and digits
  std::string value;    ///< what it takes: TIME, SIZE and COUNT are numbers, all others texts; empty: it takes none
  std::string initial;  ///< as typed; empty: 0, or an empty text
  std::string sentence;

  bool operator==(const ScriptOption&) const = default;
};

struct ScriptExample {
  std::string command, sentence;
};

struct ScriptHeader {
  std::string name;                     ///< empty: the script has no header
  std::string sentence;                 ///< behind its name
  std::vector<std::string> paragraphs;  ///< a line that is indented in the comment begins with blanks
  std::vector<ScriptWord> words;
  std::vector<ScriptOption> options;
  std::string needs;
  std::vector<ScriptExample> examples;

  bool exists() const { return !name.empty(); }
  const ScriptOption* find(std::string_view option) const;
};

/// The header of a script's text. `name`: of its file, without folder and .d. Errors: a row that is not written as above.
Result<ScriptHeader> parse_script_header(std::string_view text, std::string_view name);
/// The same of a file; without a header if the file cannot be read or is none that can be read twice, as a pipe.
Result<ScriptHeader> read_script_header(const std::string& path);

/// The value of a macro variable: a number in ns, bytes or as it is; 1 for an option without a value; or the text.
/// Errors: the text is no such number; the message says what is.
Result<std::string> macro_value(const ScriptOption& option, std::string_view typed);
/// What it is if nobody gives it.
std::string initial_macro_value(const ScriptOption& option);

}  // namespace sonde
