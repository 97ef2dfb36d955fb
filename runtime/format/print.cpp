// SPDX-License-Identifier: GPL-3.0-or-later
// print(): a value with its type
//
//   0x7f... = *
//                                             (struct s) {
//                                              .number = (int)3,
//                                              .text = (char [4]) [
//                                               (char)'a',
//                                              ],
//                                             }
//
// Zero members are left out, because kernel structures are mostly zero.
#include <algorithm>
#include <cstring>

#include "runtime/base/check.h"
#include "runtime/base/hex.h"
#include "runtime/format/append.h"
#include "runtime/format/format.h"

namespace sonde {
namespace {

constexpr size_t kIndent = 44;  // the columns in front of a row

using Layout = TypeLayout;

bool is_zero(const uint8_t* bytes, uint64_t size) {
  return std::all_of(bytes, bytes + size, [](uint8_t byte) { return byte == 0; });
}

class Printer {
 public:
  explicit Printer(std::string& out) : out_(out) {}

  void value(const Layout& type, const uint8_t* bytes) {
    out_ += "(" + type.name + ")";
    if (type.kind == Layout::Kind::Record) return record(type, bytes);
    if (type.kind == Layout::Kind::Array) return array(type, bytes);
    scalar(type, bytes, word_at(bytes, type.size));
  }

  void line() { out_ += '\n' + std::string(kIndent + depth_, ' '); }

 private:
  void record(const Layout& type, const uint8_t* bytes) {
    out_ += " {";
    ++depth_;
    for (const Layout::Member& member : type.members) {
      if (member.bit_width != 0)
        bits(member, bytes);
      else if (!is_zero(bytes + member.offset, member.type->size))
        whole(member, bytes + member.offset);
    }
    --depth_;
    line();
    out_ += '}';
  }

  void whole(const Layout::Member& member, const uint8_t* bytes) {
    begin(member);
    value(*member.type, bytes);
    out_ += ',';
  }

  void bits(const Layout::Member& member, const uint8_t* bytes) {
    // A bit-field may begin late in its word: read all bytes that it covers.
    unsigned __int128 word = 0;
    std::memcpy(&word, bytes + member.offset, (member.bit_offset + member.bit_width + 7) / 8);
    const uint64_t field = static_cast<uint64_t>(word >> member.bit_offset) << (64 - member.bit_width);
    if (field == 0) return;
    const uint32_t unused = 64 - member.bit_width;
    const auto extended = static_cast<uint64_t>(static_cast<int64_t>(field) >> unused);
    begin(member);
    out_ += "(" + member.type->name + ")";
    scalar(*member.type, nullptr, member.type->is_signed ? extended : field >> unused);
    out_ += ',';
  }

  void begin(const Layout::Member& member) {
    line();
    if (!member.name.empty()) out_ += "." + member.name + " = ";
  }

  /// An array of characters ends at the first NUL.
  void array(const Layout& type, const uint8_t* bytes) {
    const Layout& element = *type.element;
    out_ += " [";
    ++depth_;
    for (uint64_t i = 0; i < type.count; ++i) {
      const uint8_t* at = bytes + i * element.size;
      if (element.character && *at == 0) break;
      line();
      value(element, at);
      out_ += ',';
    }
    --depth_;
    line();
    out_ += ']';
  }

  void scalar(const Layout& type, const uint8_t* bytes, uint64_t word) {
    switch (type.kind) {
      case Layout::Kind::Integer: return integer(type, word);
      case Layout::Kind::Enum: return enumeration(type, word);
      case Layout::Kind::Pointer: out_ += hex(word); return;
      case Layout::Kind::Float: return append_format(out_, "%g", float_of(word, static_cast<uint32_t>(type.size)));
      case Layout::Kind::Text: {
        const auto* text = reinterpret_cast<const char*>(bytes);
        out_ += '"' + std::string(text, strnlen(text, type.size)) + '"';
        return;
      }
      case Layout::Kind::Array:
      case Layout::Kind::Record: break;
    }
    SONDE_CHECK(!"a scalar");
  }

  void integer(const Layout& type, uint64_t word) {
    const int64_t number = extend_from_size(word, static_cast<uint32_t>(type.size));
    if (type.character && number >= ' ' && number <= '~')
      append_format(out_, "'%c'", static_cast<char>(number));
    else if (type.is_signed)
      append_format(out_, "%lld", static_cast<long long>(number));
    else
      append_format(out_, "%llu", static_cast<unsigned long long>(cut_to_size(word, static_cast<uint32_t>(type.size))));
  }

  void enumeration(const Layout& type, uint64_t word) {
    const auto bytes = static_cast<uint32_t>(type.size);
    for (const auto& [value, name] : type.enumerators)
      if (cut_to_size(static_cast<uint64_t>(value), bytes) == cut_to_size(word, bytes)) {
        out_ += name;
        return;
      }
    integer(type, word);
  }

  std::string& out_;
  size_t depth_ = 0;
};

}  // namespace

void format_print(const TypeLayout& type, uint64_t address, uint64_t shown, std::string& out) {
  out += hex(shown) + " = *";
  Printer printer(out);
  printer.line();
  printer.value(type, reinterpret_cast<const uint8_t*>(address));
  out += '\n';
}

}  // namespace sonde
