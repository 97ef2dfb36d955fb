// SPDX-License-Identifier: GPL-3.0-or-later
// The formats of printf, printa and system: parsed here, once, and checked against the arguments.
#include "compiler/check/format.h"

#include <algorithm>
#include <cctype>

#include "compiler/check/aggregation.h"
#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "compiler/check/node.h"

namespace sonde {
namespace {

constexpr std::string_view kIntegers = "diuoxX";
constexpr std::string_view kLetters = "diuoxXcCsSpaAYTkefgEGL";

/// A character, made printable for a message.
std::string shown(char c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  return std::string(1, c);
}

/// On a letter that is no conversion.
std::string hint_on_letter(char letter) {
  const char other =
      static_cast<char>(std::isupper(static_cast<unsigned char>(letter)) ? std::tolower(letter) : std::toupper(letter));
  if (std::isalpha(static_cast<unsigned char>(letter)) && kLetters.find(other) != kLetters.npos)
    return std::string("did you mean '%") + other + "'?";
  return std::isalpha(static_cast<unsigned char>(letter)) ? "" : "%% prints a percent sign";
}

/// Reads the conversions one by one. Errors are texts without "format conversion #n".
class FormatReader {
 public:
  explicit FormatReader(std::string_view text) : text_(text) {}

  std::vector<Conversion> conversions;
  std::string error;

  void read() {
    Conversion current;
    while (at_ < text_.size() && error.empty()) {
      if (text_[at_] != '%') {
        current.literal += text_[at_++];
        continue;
      }
      if (at_ + 1 < text_.size() && text_[at_ + 1] == '%') {
        current.literal += '%';
        at_ += 2;
        continue;
      }
      ++at_;
      conversion(current);
      conversions.push_back(std::move(current));
      current = {};
    }
    conversions.push_back(std::move(current));  // what follows the last
  }

 private:
  bool is(char c) const { return at_ < text_.size() && text_[at_] == c; }

  void conversion(Conversion& into) {
    for (; at_ < text_.size() && std::string_view("-+ #0'").find(text_[at_]) != std::string_view::npos; ++at_)
      into.flags += text_[at_];
    width_and_precision(into);
    if (is('@')) {  // allowed before the width or after it: scripts have both
      into.aggregation = true;
      ++at_;
      for (; at_ < text_.size() && std::string_view("-+ #0'").find(text_[at_]) != std::string_view::npos; ++at_)
        into.flags += text_[at_];
      width_and_precision(into);
    }
    for (; at_ < text_.size() && std::string_view("hlwL").find(text_[at_]) != std::string_view::npos; ++at_)
      into.size += text_[at_];
    if (at_ == text_.size()) {
      error = "is missing its conversion letter";
      return;
    }
    into.letter = text_[at_++];
    if (into.letter == '.')
      error = "has more than one precision specified";
    else if (into.letter == '*' || std::isdigit(static_cast<unsigned char>(into.letter)))
      error = "has more than one width specified";
    else if (into.letter == '$')
      error = "uses a positional argument, which D does not have";
    else if (kLetters.find(into.letter) == std::string_view::npos)
      error = "uses an unknown conversion: %" + shown(into.letter);
    if (into.letter == 'i') into.letter = 'd';
  }

  void width_and_precision(Conversion& into) {
    width(into.width, into.width_argument);
    if (!is('.') || into.precision >= 0) return;
    ++at_;
    into.precision = 0;
    width(into.precision, into.precision_argument);
  }

  void width(int& into, bool& argument) {
    if (is('*')) {
      argument = true;
      ++at_;
      return;
    }
    if (is('?')) {  // as wide as a pointer
      into = 16;
      ++at_;
      return;
    }
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_)
      into = static_cast<int>(std::min<int64_t>(int64_t{std::max(into, 0)} * 10 + (text_[at_] - '0'), INT32_MAX));
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::string wanted(const Conversion& conversion) {
  switch (conversion.letter) {
    case 's':
    case 'S': return "char [] or string (or use stringof)";
    case 'p':
    case 'a':
    case 'A': return "pointer or integer";
    case 'Y':
    case 'T': return "int64_t";
    case 'k': return "stack";
    case 'e':
    case 'f':
    case 'g':
    case 'E':
    case 'G': return "float, double, or long double";
    default: break;
  }
  if (conversion.size == "hh") return "char";
  if (conversion.size == "h") return "short";
  if (conversion.size == "l") return "long";
  if (conversion.size == "ll") return "long long";
  return "char, short, int, long, or long long";
}

bool fits(char letter, const Type* type) {
  const Type* real = type->canonical;
  switch (letter) {
    case 's':
    case 'S':
      return real->kind == Type::Kind::String ||
             (real->kind == Type::Kind::Array && real->target->canonical->kind == Type::Kind::Integer &&
              real->target->canonical->size == 1) ||
             real->kind == Type::Kind::Symbol;
    case 'p': return type->is_pointer() || type->is_integer() || real->kind == Type::Kind::Array;
    case 'a':
    case 'A': return type->is_pointer() || type->is_integer() || real->kind == Type::Kind::Symbol;
    case 'Y':
    case 'T': return type->is_integer() && real->size == 8;
    case 'k': return real->kind == Type::Kind::Stack;
    case 'e':
    case 'f':
    case 'g':
    case 'E':
    case 'G': return real->kind == Type::Kind::Float;
    default: return type->is_integer();
  }
}

bool fits_size(const std::string& size, const Type* type, uint64_t long_bytes) {
  uint64_t bytes = type->canonical->size;
  if (size == "h") return bytes == 2;
  if (size == "hh") return bytes == 1;
  if (size == "l") return bytes == long_bytes || bytes == 8;
  if (size == "ll") return bytes == 8;
  return true;
}

std::string spelled(const Conversion& conversion) {
  return "%" + conversion.flags +
         (conversion.width_argument ? "*"
          : conversion.width >= 0   ? std::to_string(conversion.width)
                                    : "") +
         (conversion.precision_argument ? ".*"
          : conversion.precision >= 0   ? "." + std::to_string(conversion.precision)
                                        : "") +
         (conversion.aggregation ? "@" : "") + conversion.size + conversion.letter;
}

void check_conversion(CheckContext& cx, const std::string& function, const Conversion& conversion, size_t number,
                      ExprPtr& argument, size_t argument_number) {
  // %a of ucaller names the calling function, as uaddr(ucaller) does.
  const DVariable* row = argument->builtin;
  if ((conversion.letter == 'a' || conversion.letter == 'A') && row != nullptr && is_return_address(*row)) {
    ExprPtr call = make_expr(ExprKind::Call, nullptr, argument->where);
    for (const std::string_view text : {std::string_view("uaddr"), std::string_view(row->name)}) {
      call->kids.push_back(make_expr(ExprKind::Name, nullptr, argument->where));
      call->kids.back()->text = text;
    }
    argument = std::move(call);
  }
  argument = check_value(cx, std::move(argument));
  const Type* type = argument->type;
  bool sized = kIntegers.find(conversion.letter) == std::string_view::npos ||
               fits_size(conversion.size, type, cx.world.types.word_bytes());
  if (!fits(conversion.letter, type) || !sized) {
    std::string hint;
    if (conversion.letter == 's' && type->is_pointer())
      hint = "copyinstr() reads a string of the traced program; stringof() makes one of D's own memory";
    else if (type->canonical->kind == Type::Kind::Aggregation)
      hint = kHintOnAggregation;
    else if (type->is_string() || type->canonical->kind == Type::Kind::Symbol)
      hint = "use %s";
    else if (conversion.letter == 's' && type->is_integer())
      hint = "use %d, or copyinstr() if it is an address in the traced program";
    else if (type->is_integer())
      hint = wanted(conversion) == "int64_t" ? "cast it: (int64_t)" : "use %d";
    else if (type->is_pointer())
      hint = "use %p";
    cx.fail("D_PRINTF_ARG_TYPE", argument->where,
            function + "( ) argument #" + std::to_string(argument_number) + " is incompatible with conversion #" +
                std::to_string(number) + " prototype:\n\tconversion: %" + conversion.size + conversion.letter +
                "\n\t prototype: " + wanted(conversion) + "\n\t  argument: " + type->name,
            hint);
  }
  argument = printable(std::move(argument));
}

}  // namespace

std::vector<Conversion> read_format(CheckContext& cx, const std::string& function, const Expr& format) {
  if (format.kind != ExprKind::String) {
    std::string type = format.kind == ExprKind::Integer ? "int" : "non-constant";
    cx.fail("D_PRINTF_ARG_FMT", format.where,
            function +
                "( ) argument #1 is incompatible with prototype:\n\tprototype: string constant\n\t argument: " + type);
  }
  const bool may_be_empty = function == "freopen";  // an empty path: back to the original output
  if (function == "freopen" && format.text == ".")
    cx.fail("D_FREOPEN_INVALID", format.where, "freopen( ) argument #1 cannot be \".\"");
  if (format.text.empty() && !may_be_empty)
    cx.fail("D_PRINTF_FMT_EMPTY", format.where, function + "( ) format string is empty");
  FormatReader reader(format.text);
  reader.read();
  if (!reader.error.empty())
    cx.fail("D_SYNTAX", format.where,
            "format conversion #" + std::to_string(reader.conversions.size() - 1) + " " + reader.error,
            reader.error.starts_with("uses an unknown")
                ? hint_on_letter(reader.conversions[reader.conversions.size() - 2].letter)
                : "");
  return std::move(reader.conversions);
}

void check_format(CheckContext& cx, const std::string& function, Expr& call, std::vector<Conversion>& conversions,
                  size_t first_number) {
  size_t next = 1, number = 0;  // kids[0] is the name
  for (const Conversion& conversion : conversions) {
    if (!conversion.letter) break;
    ++number;
    std::string which =
        "conversion #" + std::to_string(number) + " (" + spelled(conversion).substr(0, 1) + conversion.letter + ")";
    if (conversion.aggregation)
      cx.fail("D_PRINTF_AGG_CONV", call.where,
              "%@ conversion requires an aggregation and is not for use with " + function + "( )");
    for (bool precision : {false, true}) {
      if (!(precision ? conversion.precision_argument : conversion.width_argument)) continue;
      if (next >= call.kids.size())
        cx.fail("D_PRINTF_DYN_PROTO", call.where,
                function + "( ) prototype mismatch: " + which + " is missing a corresponding \"" +
                    (precision ? ".*" : "*") + "\" argument");
      ExprPtr size = check_value(cx, std::move(call.kids[next]));
      if (!size->type->is_integer())
        cx.fail("D_PRINTF_DYN_TYPE", size->where,
                function + "( ) argument #" + std::to_string(next - 1 + first_number) +
                    " is incompatible with conversion #" + std::to_string(number) + " prototype:\n\tconversion: %" +
                    (precision ? ".*" : "*") + conversion.letter +
                    "\n\t prototype: int\n\t  argument: " + size->type->name);
      call.kids[next++] = convert(cx, std::move(size), cx.world.types.int_type());
    }
    if (next >= call.kids.size())
      cx.fail("D_PRINTF_ARG_PROTO", call.where,
              function + "( ) prototype mismatch: " + which + " is missing a corresponding value argument");
    check_conversion(cx, function, conversion, number, call.kids[next], next - 1 + first_number);
    ++next;
  }
  if (next < call.kids.size())
    cx.fail("D_PRINTF_ARG_EXTRA", call.kids[next]->where,
            function + "( ) prototype mismatch: only " + std::to_string(next - 1) +
                " arguments required by this format string");
}

void check_keys(CheckContext& cx, std::vector<Conversion>& format, const AggregationSymbol& aggregation,
                SourceRange where) {
  size_t key = 0, number = 0;
  for (const Conversion& conversion : format) {
    if (!conversion.letter) continue;
    ++number;
    for (const bool precision : {false, true}) {
      if (!(precision ? conversion.precision_argument : conversion.width_argument)) continue;
      const std::string star = precision ? ".*" : "*";
      if (key >= aggregation.keys.size())
        cx.fail("D_PRINTF_DYN_PROTO", where,
                "printa( ) prototype mismatch: conversion #" + std::to_string(number) + " (%" + conversion.letter +
                    ") is missing a corresponding \"" + star + "\" argument",
                "it is taken from the keys; there are " + std::to_string(aggregation.keys.size()));
      const Type* type = aggregation.keys[key++];
      if (!type->is_integer())
        cx.fail("D_PRINTF_DYN_TYPE", where,
                "printa( ) key #" + std::to_string(key) + " is incompatible with conversion #" +
                    std::to_string(number) + " prototype:\n\tconversion: %" + star + conversion.letter +
                    "\n\t prototype: int\n\t  argument: " + type->name);
    }
    if (conversion.aggregation) {
      if (kIntegers.find(conversion.letter) == std::string_view::npos && conversion.letter != 'Y' &&
          conversion.letter != 'T')
        cx.fail("D_PRINTF_ARG_TYPE", where,
                "printa( ) conversion #" + std::to_string(number) +
                    " is incompatible with an aggregation's value:\n\tconversion: %@" + conversion.letter +
                    "\n\t prototype: " + wanted(conversion) + "\n\t  argument: int64_t");
      continue;
    }
    if (key >= aggregation.keys.size())
      cx.fail("D_PRINTF_ARG_PROTO", where,
              "printa( ) prototype mismatch: conversion #" + std::to_string(number) + " (%" + conversion.letter +
                  ") is missing a corresponding value argument",
              "a conversion without @ prints a key; there are " + std::to_string(aggregation.keys.size()));
    const Type* type = aggregation.keys[key++];
    if (!fits(conversion.letter, type))
      cx.fail("D_PRINTF_ARG_TYPE", where,
              "printa( ) key #" + std::to_string(key) + " is incompatible with conversion #" + std::to_string(number) +
                  " prototype:\n\tconversion: %" + conversion.letter + "\n\t prototype: " + wanted(conversion) +
                  "\n\t  argument: " + type->name);
  }
}

}  // namespace sonde
