// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/format/format.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace sonde {
namespace {

using Kind = ValueType::Kind;

ValueType integer(uint32_t size, bool is_signed = true) { return {Kind::Integer, is_signed, size, ""}; }
ValueType text() { return {Kind::String, false, 256, "string"}; }
uint64_t word(const char* string) { return reinterpret_cast<uint64_t>(string); }

class Names : public SymbolNames {
 public:
  uint32_t space(uint32_t pid, Nanoseconds, std::span<const uint64_t>) override { return pid; }
  std::string name(uint32_t pid, uint64_t address, SymbolValue::Kind kind) override {
    if (kind == SymbolValue::UMod) return "prog";
    const bool exact = kind == SymbolValue::UAddr || kind == SymbolValue::UReturn;
    return (kind == SymbolValue::UReturn ? "prog`caller" : "prog`main") +
           (exact ? "+0x" + std::to_string(address) : "") + (pid == 7 ? "" : "?");
  }
  SymbolPlace place(uint32_t, uint64_t, SymbolValue::Kind) override { return {}; }
  uint64_t canonical(uint32_t, uint64_t address, SymbolValue::Kind) override { return address; }
  bool ends_signal_handler(uint32_t, uint64_t address) override { return address == 48; }
};

std::string trace(const ValueType& type, uint64_t value, bool quiet = false) {
  Names names;
  FormatSettings settings;
  settings.quiet = quiet;
  settings.names = &names;
  std::string out;
  format_trace(type, value, settings, out);
  return out;
}

TEST(Trace, Integers) {
  EXPECT_EQ(trace(integer(8), static_cast<uint64_t>(-5)), "                  -5");
  EXPECT_EQ(trace(integer(4), 42), "         42");
  EXPECT_EQ(trace(integer(2), static_cast<uint64_t>(-2)), "    -2");
  EXPECT_EQ(trace(integer(1), 3), "   3");
  EXPECT_EQ(trace(integer(4, false), static_cast<uint64_t>(-1)), " 4294967295");
  EXPECT_EQ(trace(integer(8, false), UINT64_MAX), " 18446744073709551615");
  EXPECT_EQ(trace({Kind::Pointer, true, 8, ""}, UINT64_MAX), " 18446744073709551615");
  EXPECT_EQ(trace(integer(4), 0x80000000), " -2147483648");
  EXPECT_EQ(trace(integer(1), static_cast<uint64_t>(-2), true), "-2");
}

TEST(Trace, Strings) {
  EXPECT_EQ(trace(text(), word("text")), "  text                             ");
  EXPECT_EQ(trace(text(), word("text"), true), "text");
  char name[8] = "abc";
  EXPECT_EQ(trace({Kind::Bytes, false, 8, "char [8]"}, word(name), true), "abc");
}

TEST(Trace, BytesAreDumped) {
  struct {
    char bytes[18] = "0123456789abcde";
  } value;
  value.bytes[16] = 'A';
  value.bytes[17] = '\x7f';
  EXPECT_EQ(trace({Kind::Bytes, false, 18, "struct s"}, reinterpret_cast<uint64_t>(&value)),
            "\n"
            "             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
            "         0: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 00  0123456789abcde.\n"
            "        10: 41 7f                                            A.\n");
}

TEST(Trace, SymbolsAndStacks) {
  SymbolValue symbol{SymbolValue::USym, 7, 4};
  auto at = reinterpret_cast<uint64_t>(&symbol);
  EXPECT_EQ(trace({Kind::Symbol, false, 16, ""}, at), "  prog`main                                         ");
  EXPECT_EQ(trace({Kind::Symbol, false, 16, ""}, at, true), "  prog`main                                         ");
  uint64_t memory[] = {uint64_t{2} << 32 | 7, 16, 32};
  EXPECT_EQ(trace({Kind::Stack, false, 0, ""}, reinterpret_cast<uint64_t>(memory)),
            "\n              prog`main+0x16\n              prog`caller+0x32\n");
}

/// 48 is the return address of a signal handler: it and the interrupted frame are exact, not return addresses.
TEST(Trace, FramesThatCallAreReturnedTo) {
  uint64_t memory[] = {uint64_t{5} << 32 | 7, 16, 32, 48, 64, 80};
  EXPECT_EQ(trace({Kind::Stack, false, 0, ""}, reinterpret_cast<uint64_t>(memory)),
            "\n              prog`main+0x16\n              prog`caller+0x32\n              prog`main+0x48\n"
            "              prog`main+0x64\n              prog`caller+0x80\n");
}

struct Case {
  const char* name;
  Conversion conversion;
  ValueType type;
  uint64_t value;
  const char* expected;
};

Conversion conversion(char letter, const char* flags = "", int width = -1, int precision = -1) {
  Conversion c;
  c.letter = letter;
  c.flags = flags;
  c.width = width;
  c.precision = precision;
  return c;
}

TEST(Printf, Conversions) {
  setenv("TZ", "UTC", 1);
  tzset();
  const uint64_t kTime = 1795169645ull * 1'000'000'000;  // Fri Nov 20 10:14:05 2026
  auto minus = [](int64_t n) { return static_cast<uint64_t>(n); };
  const Case cases[] = {
      {"d", conversion('d'), integer(4), minus(-5), "-5"},
      {"d of unsigned", conversion('d'), integer(4, false), minus(-1), "4294967295"},
      {"i", conversion('i'), integer(8), minus(INT64_MIN), "-9223372036854775808"},
      {"u of char", conversion('u'), integer(1), minus(-3), "253"},
      {"x of char", conversion('x'), integer(1), minus(-3), "fd"},
      {"X", conversion('X', "#"), integer(4), 0xbeef, "0XBEEF"},
      {"o", conversion('o'), integer(4), 8, "10"},
      {"width", conversion('d', "", 5), integer(4), 42, "   42"},
      {"left", conversion('d', "-", 5), integer(4), 42, "42   "},
      {"zeros", conversion('d', "0", 5), integer(4), 42, "00042"},
      {"plus", conversion('d', "+"), integer(4), 42, "+42"},
      {"blank", conversion('d', " "), integer(4), 42, " 42"},
      {"precision", conversion('d', "", 6, 4), integer(4), 42, "  0042"},
      {"c", conversion('c'), integer(4), 65, "A"},
      {"c width", conversion('c', "-", 3), integer(4), 65, "A  "},
      {"C", conversion('C'), integer(4), '\n', "\\n"},
      {"C octal", conversion('C'), integer(4), 1, "\\001"},
      {"s", conversion('s'), text(), word("abc"), "abc"},
      {"s cut", conversion('s', "", 6, 2), text(), word("abc"), "    ab"},
      {"s left", conversion('s', "-", 5), text(), word("abc"), "abc  "},
      {"S", conversion('S'), text(), word("a\nb\\"), "a\\nb\\\\"},
      {"s of bytes", conversion('s'), {Kind::Bytes, false, 2, "char [2]"}, word("abc"), "ab"},
      {"p", conversion('p'), {Kind::Pointer, false, 8, ""}, 0x7fff12, "7fff12"},
      {"p padded", conversion('p', "0", 16), {Kind::Pointer, false, 8, ""}, 0x7fff12, "00000000007fff12"},
      {"a of 0", conversion('a'), integer(8), 0, "0x0"},
      {"a of the kernel's", conversion('a'), integer(8), 0xffffffff81000000, "prog`main+0x18446744071578845184"},
      {"A", conversion('A'), integer(8), 16, "prog`main+0x16"},
      {"a width", conversion('a', "-", 6), integer(8), 0, "0x0   "},
      {"Y", conversion('Y'), integer(8), kTime, "2026 Nov 20 10:14:05"},
      {"Y width", conversion('Y', "-", 22), integer(8), kTime, "2026 Nov 20 10:14:05  "},
      {"T", conversion('T'), integer(8), kTime, "Fri, 20 Nov 2026 10:14:05 UTC"},
      {"Y of one digit", conversion('Y'), integer(8), 0, "1970 Jan  1 00:00:00"},
      {"f", conversion('f'), {Kind::Float, true, 8, "double"}, 0, "0.000000"},
      {"g", conversion('g'), {Kind::Float, true, 4, "float"}, 0, "0"},
  };
  Names names;
  FormatSettings settings;
  settings.space = 7;
  settings.names = &names;
  for (const Case& c : cases) {
    std::string out;
    format_conversion(c.conversion, c.conversion.width, c.conversion.precision, c.type, c.value, settings, out);
    EXPECT_EQ(out, c.expected) << c.name;
  }
}

TEST(Printf, LiteralsAndArguments) {
  std::vector<Conversion> format(3);
  format[0] = conversion('s');
  format[0].literal = "<";
  format[0].width_argument = true;
  format[1] = conversion('s');
  format[1].literal = ">[";
  format[1].precision_argument = true;
  format[2].literal = "]\n";
  std::vector<ValueType> types = {integer(4), text(), integer(4), text()};
  uint64_t words[] = {4, word("a"), 2, word("bcd")};
  std::string out;
  format_printf(format, types, words, {}, out);
  EXPECT_EQ(out, "<   a>[bc]\n");
  words[0] = static_cast<uint64_t>(-4);
  words[2] = static_cast<uint64_t>(-1);
  out.clear();
  format_printf(format, types, words, {}, out);
  EXPECT_EQ(out, "<a   >[bcd]\n");
}

struct Table {
  Table(AggFunction function, std::vector<ValueType> keys) : desc{"", function, {}, std::move(keys)} {}
  AggregationDesc desc;
  MemoryBudget budget{1 << 20, 0};
  AggTable table{desc, 256, budget};
};

TEST(Printa, PlainColumns) {
  Table a(AggFunction::Count, {text(), integer(4), integer(2), integer(1), integer(8)});
  uint64_t keys[] = {word("abc"), 1, 2, 3, 4};
  a.table.add(keys, 1, 1);
  AggTable* const one[] = {&a.table};
  std::string out;
  format_aggregations(one, {}, {}, out);
  EXPECT_EQ(out, "  abc" + std::string(47, ' ') + "        1     2   3                4                1\n");
}

TEST(Printa, StackKeysStandOnTheirOwnLines) {
  Table a(AggFunction::Count, {{Kind::Stack, false, 0, ""}});
  uint64_t memory[] = {uint64_t{1} << 32 | 7, 16};
  uint64_t keys[] = {reinterpret_cast<uint64_t>(memory)};
  a.table.add(keys, 1, 1);
  AggTable* const one[] = {&a.table};
  Names names;
  FormatSettings settings;
  settings.names = &names;
  std::string out;
  format_aggregations(one, {}, settings, out);
  EXPECT_EQ(out, "\n              prog`main+0x16\n                1\n");
}

TEST(Printa, FormatsTakeKeysAndAggregationsInOrder) {
  Table a(AggFunction::Sum, {text(), integer(4)}), b(AggFunction::Sum, {text(), integer(4)});
  uint64_t x[] = {word("x"), 1}, y[] = {word("y"), 2};
  a.table.add(x, 10, 1);
  a.table.add(y, 20, 1);
  b.table.add(y, 70, 1);
  std::vector<Conversion> format(5);
  format[0] = conversion('s', "-", 4);
  format[1] = conversion('d', "", 6);
  format[1].aggregation = true;
  format[2] = conversion('d');
  format[2].literal = " ";
  format[2].aggregation = true;
  format[3] = conversion('x');
  format[3].literal = " ";
  format[3].aggregation = true;
  format[4].literal = "\n";
  AggTable* const both[] = {&a.table, &b.table};
  std::string out;
  format_printa(format, both, {}, {}, out);
  EXPECT_EQ(out, "x       10 0 0\ny       20 70 46\n");
  a.table.normal = 10;
  out.clear();
  format_printa(format, both, {}, {}, out);
  EXPECT_EQ(out, "x        1 0 0\ny        2 70 46\n");
}

TEST(Printa, DistributionInsideAFormat) {
  Table a(AggFunction::Quantize, {text()});
  uint64_t x[] = {word("x")};
  a.table.add(x, 1, 1);
  std::vector<Conversion> format(2);
  format[0] = conversion('s');
  format[1] = conversion('d');
  format[1].literal = ":";
  format[1].aggregation = true;
  AggTable* const one[] = {&a.table};
  std::string out;
  format_printa(format, one, {}, {}, out);
  EXPECT_EQ(out,
            "x:\n           value  ------------- Distribution ------------- count    \n"
            "               0 |                                         0        \n"
            "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
            "               2 |                                         0        \n");
}

TEST(Rows, HeaderAndColumns) {
  EXPECT_EQ(row_header(false), "CPU     ID                    FUNCTION:NAME\n");
  EXPECT_EQ(row_header(true), "CPU FUNCTION                                 \n");
  std::string out;
  format_row_prefix(0, {ProbeId{1}, "dtrace", "", "", "BEGIN"}, out);
  EXPECT_EQ(out, "  0      1                           :BEGIN ");
}

TEST(Rows, Flow) {
  ProbeInfo call{ProbeId{9}, "syscall", "", "read", "entry"}, function{ProbeId{9}, "pid1", "a.out", "main", "return"},
      other{ProbeId{9}, "profile", "", "", "tick-1s"};
  EXPECT_EQ(flow_of(call), Flow::Entry);
  EXPECT_EQ(flow_of(function), Flow::Return);
  EXPECT_EQ(flow_of(other), Flow::None);
  std::string out;
  format_flow_prefix(1, call, Flow::Entry, 2, out);
  EXPECT_EQ(out, "  1    => read                                ");
  out.clear();
  format_flow_prefix(1, function, Flow::Return, 0, out);
  EXPECT_EQ(out, "  1  <- main                                  ");
  out.clear();
  format_flow_prefix(1, other, Flow::None, 0, out);
  EXPECT_EQ(out, "  1  | :tick-1s                               ");
}

}  // namespace
}  // namespace sonde
