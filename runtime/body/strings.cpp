// SPDX-License-Identifier: GPL-3.0-or-later
// Subroutines on strings. NULL faults; results longer than strsize are cut.
#include <algorithm>

#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"
#include "runtime/format/append.h"

namespace sonde {
namespace {

int64_t as_int(uint64_t word) { return static_cast<int32_t>(word); }
uint64_t as_word(int64_t number) { return static_cast<uint64_t>(number); }

/// Reads two strings; false: one was NULL.
bool two_strings(BodyContext* context, const uint64_t* argv, std::string_view& a, std::string_view& b) {
  a = string_argument(context, argv[0]);
  b = string_argument(context, argv[1]);
  return context->fault == 0;
}

uint64_t tail_or_null(BodyContext* context, std::string_view text, size_t at) {
  return at == std::string_view::npos ? 0 : make_string(context, text.substr(at));
}

std::string digits(uint64_t number, unsigned base) {
  std::string text;
  do {
    text += "0123456789abcdefghijklmnopqrstuvwxyz"[number % base];
    number /= base;
  } while (number != 0);
  std::ranges::reverse(text);
  return text;
}

}  // namespace

extern "C" {

uint64_t sonde_fn_strlen(BodyContext* context, uint32_t, const uint64_t* argv) {
  return string_argument(context, argv[0]).size();
}

uint64_t sonde_fn_strjoin(BodyContext* context, uint32_t argc, const uint64_t* argv) {
  std::string joined;
  for (uint32_t i = 0; i < argc && context->fault == 0; ++i) joined += string_argument(context, argv[i]);
  return context->fault == 0 ? make_string(context, joined) : 0;
}

/// So that a program's name, say, stays on one line, and tells a terminal nothing.
uint64_t sonde_fn___escaped(BodyContext* context, uint32_t, const uint64_t* argv) {
  const std::string_view text = string_argument(context, argv[0]);
  return context->fault == 0 ? make_string(context, escaped(text)) : 0;
}

uint64_t sonde_fn_strchr(BodyContext* context, uint32_t, const uint64_t* argv) {
  std::string_view text = string_argument(context, argv[0]);
  if (context->fault != 0) return 0;
  char wanted = static_cast<char>(argv[1]);
  return tail_or_null(context, text, wanted == 0 ? text.size() : text.find(wanted));
}

uint64_t sonde_fn_strrchr(BodyContext* context, uint32_t, const uint64_t* argv) {
  std::string_view text = string_argument(context, argv[0]);
  if (context->fault != 0) return 0;
  char wanted = static_cast<char>(argv[1]);
  return tail_or_null(context, text, wanted == 0 ? text.size() : text.rfind(wanted));
}

uint64_t sonde_fn_strstr(BodyContext* context, uint32_t, const uint64_t* argv) {
  std::string_view text, part;
  if (!two_strings(context, argv, text, part)) return 0;
  return tail_or_null(context, text, text.find(part));
}

uint64_t sonde_fn_index(BodyContext* context, uint32_t argc, const uint64_t* argv) {
  std::string_view text, part;
  if (!two_strings(context, argv, text, part)) return 0;
  int64_t start = argc > 2 ? std::max<int64_t>(0, as_int(argv[2])) : 0;
  if (part.empty()) start = std::min(start, static_cast<int64_t>(text.size()));
  if (start > static_cast<int64_t>(text.size())) return as_word(-1);
  size_t at = text.find(part, static_cast<size_t>(start));
  return as_word(at == std::string_view::npos ? -1 : static_cast<int64_t>(at));
}

uint64_t sonde_fn_rindex(BodyContext* context, uint32_t argc, const uint64_t* argv) {
  std::string_view text, part;
  if (!two_strings(context, argv, text, part)) return 0;
  auto length = static_cast<int64_t>(text.size());
  int64_t start = argc > 2 ? as_int(argv[2]) : length;
  if (part.empty()) start = std::max<int64_t>(start, 0);
  if (start < 0) return as_word(-1);
  size_t at = text.rfind(part, static_cast<size_t>(std::min(start, length)));
  return as_word(at == std::string_view::npos ? -1 : static_cast<int64_t>(at));
}

// Perl's rules: a negative start counts from the end, a negative count leaves that many off at the end.
uint64_t sonde_fn_substr(BodyContext* context, uint32_t argc, const uint64_t* argv) {
  std::string_view text = string_argument(context, argv[0]);
  if (context->fault != 0) return 0;
  auto length = static_cast<int64_t>(text.size());
  int64_t start = as_int(argv[1]);
  int64_t count = argc > 2 ? as_int(argv[2]) : length;
  bool from_end = argc > 2 && count < 0;
  if (start < 0) start += length;
  int64_t end = from_end ? length + count : argc > 2 ? start + count : length;
  start = std::clamp<int64_t>(start, 0, length);
  end = std::clamp<int64_t>(end, start, length);
  return make_string(context, text.substr(static_cast<size_t>(start), static_cast<size_t>(end - start)));
}

// The rest is kept until the firing ends, for its other clauses. It begins with the delimiter that ended the token.
uint64_t sonde_fn_strtok(BodyContext* context, uint32_t, const uint64_t* argv) {
  std::optional<std::string>& rest = context->state->token_rest;
  if (argv[0] != 0) rest = std::string(string_argument(context, argv[0]));
  if (!rest) sonde_fault(context, static_cast<uint64_t>(Fault::BadAddress), 0);
  const std::string_view delimiters = string_argument(context, argv[1]);
  if (context->fault != 0) return 0;
  rest->erase(0, std::min(rest->find_first_not_of(delimiters), rest->size()));
  if (rest->empty()) return 0;
  const size_t length = std::min(rest->find_first_of(delimiters), rest->size());
  const uint64_t token = make_string(context, std::string_view(*rest).substr(0, length));
  rest->erase(0, length);
  return token;
}

uint64_t sonde_fn___tail(BodyContext* context, uint32_t, const uint64_t* argv) {
  const std::string_view text = string_argument(context, argv[0]);
  if (context->fault != 0) return 0;
  return make_string(context, text.substr(std::min<uint64_t>(argv[1], text.size())));
}

uint64_t sonde_fn_lltostr(BodyContext* context, uint32_t argc, const uint64_t* argv) {
  uint64_t base = argc > 1 ? argv[1] : 10;
  if (base < 2 || base > 36) {
    sonde_fault(context, static_cast<uint64_t>(Fault::IllegalOperation), 0);
    return 0;
  }
  if (base == 10) return make_string(context, std::to_string(static_cast<int64_t>(argv[0])));
  const char* prefix = base == 16 ? "0x" : base == 8 ? "0" : "";
  return make_string(context, prefix + digits(argv[0], static_cast<unsigned>(base)));
}

}  // extern "C"

}  // namespace sonde
