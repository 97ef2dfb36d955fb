// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded values must be printed as they were when they were recorded, however late.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/print/printer.h"

namespace sonde {
namespace {

using Kind = ValueType::Kind;

ValueType type(Kind kind, uint32_t size = 8) { return {kind, true, size, kind == Kind::Bytes ? "char []" : ""}; }

class NoNames : public SymbolNames {
  uint32_t space(uint32_t pid, Nanoseconds, std::span<const uint64_t>) override { return pid; }
  std::string name(uint32_t, uint64_t address, SymbolValue::Kind) override { return "f+" + std::to_string(address); }
  uint64_t canonical(uint32_t, uint64_t address, SymbolValue::Kind) override { return address; }
  bool ends_signal_handler(uint32_t, uint64_t) override { return false; }
  SymbolPlace place(uint32_t, uint64_t, SymbolValue::Kind) override { return {}; }
};

class TextPrinterTest : public ::testing::Test {
 protected:
  TextPrinterTest() {
    settings.quiet = true;
    settings.strsize = 16;
    settings.names = &names;
  }
  TraceRecord begun(bool quiet = true) {
    TraceRecord record;
    record.begun = true;
    record.quiet = quiet;
    record.probe = &probe;
    record.cpu = 3;
    return record;
  }
  /// The output of print with the current options.
  static std::string printed(TraceRecord& record) {
    PrintSink sink;
    print(*make_printer("text", sink), record, {record.quiet, record.flowindent});
    return sink.text;
  }
  static void print(Printer& printer, TraceRecord& record, RowStyle now) {
    printer.begin_record(record, now);
    for (const TraceItem& item : record.items) printer.item(record, item);
    printer.end_record(record, now);
  }
  void trace(TraceRecord& record, const ValueType& of, uint64_t word) {
    sites.push_back(std::make_unique<ActionSite>(ActionSite{.action = "trace", .arguments = {of}}));
    record.add_values(TraceItem::Kind::Trace, *sites.back(), &word, settings);
  }
  template <typename T>
  static uint64_t at(T& object) {
    return reinterpret_cast<uint64_t>(&object);
  }

  std::string provider = "syscall", module, function = "read", name = "entry";
  ProbeInfo probe{ProbeId{7}, provider, module, function, name};
  NoNames names;
  FormatSettings settings;
  std::vector<std::unique_ptr<ActionSite>> sites;
};

TEST_F(TextPrinterTest, ValuesStayAsTheyWere) {
  TraceRecord record = begun();
  char text[] = "first", bytes[8] = "bytes";
  uint64_t stack[] = {uint64_t{2} << 32 | 1, 16, 32};  // a StackValue of pid 1
  SymbolValue symbol{SymbolValue::UAddr, 1, 48};
  trace(record, type(Kind::Integer), 41);
  trace(record, type(Kind::String), at(text));
  trace(record, type(Kind::Bytes, sizeof bytes), at(bytes));
  trace(record, type(Kind::Symbol), at(symbol));
  trace(record, type(Kind::Stack), at(stack));
  const std::string before = printed(record);
  std::strcpy(text, "other");
  std::memset(bytes, 'x', sizeof bytes);
  stack[2] = symbol.address = 0x999;
  EXPECT_EQ(printed(record), before);
  EXPECT_NE(before.find("41firstbytes"), std::string::npos) << before;
  EXPECT_NE(before.find("f+48"), std::string::npos) << before;
  EXPECT_NE(before.find("f+32"), std::string::npos) << before;
}

TEST_F(TextPrinterTest, MemoryThatIsDumpedOrPrintedIsCopied) {
  const auto number = std::make_shared<TypeLayout>();
  number->name = "int";
  number->size = 4;
  number->is_signed = true;
  ActionSite site;
  site.layout = number;
  int object = 5;
  TraceRecord record = begun();
  record.add_object(site, &object, 0x1234, settings);
  record.add_bytes(site, &object, sizeof object, settings);
  record.add_bytes(site, nullptr, 0, settings);
  const std::string before = printed(record);
  object = 6;
  EXPECT_EQ(printed(record), before);
  EXPECT_NE(before.find("0x1234"), std::string::npos) << before;
  EXPECT_NE(before.find("05 00 00 00"), std::string::npos) << before;
}

TEST_F(TextPrinterTest, StringsEndWhereTheyMust) {
  TraceRecord record = begun();
  char text[] = "0123456789abcdefXYZ", eight[] = "12345678", none[] = "";
  trace(record, type(Kind::String), at(text));
  trace(record, type(Kind::String), at(none));
  trace(record, type(Kind::String), at(eight));
  trace(record, type(Kind::String), 0);
  trace(record, type(Kind::Integer), 9);
  EXPECT_EQ(printed(record), "0123456789abcdef123456789");
}

TEST_F(TextPrinterTest, ARecordOfManyItemsMovesAndPrints) {
  TraceRecord record = begun();
  std::string expected;
  for (int i = 0; i < 100; i++) {
    const std::string text = "<" + std::to_string(i) + ">";
    trace(record, type(Kind::String), reinterpret_cast<uint64_t>(text.c_str()));
    expected += text;
  }
  TraceRecord kept = std::move(record);
  EXPECT_EQ(printed(kept), expected);
  kept.clear();
  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(kept.bytes(), TraceRecord().bytes());
  EXPECT_EQ(printed(kept), "");
}

TEST_F(TextPrinterTest, WhatIsAskedForIsNotText) {
  TraceRecord record = begun();
  const ActionSite site{.action = "ftruncate"};
  int changes = 0;
  trace(record, type(Kind::Integer), 1);
  record.add_values(TraceItem::Kind::Ftruncate, site, nullptr, settings);
  record.add_change([&changes] { ++changes; });
  trace(record, type(Kind::Integer), 2);
  EXPECT_EQ(printed(record), "12");
  EXPECT_EQ(changes, 0) << "that is the consumer's";
  EXPECT_FALSE(record.items[0].is_done());
  EXPECT_TRUE(record.items[1].is_done());
  EXPECT_TRUE(record.items[2].is_done());
  record.do_change(record.items[2]);
  EXPECT_EQ(changes, 1);
}

TEST_F(TextPrinterTest, ColumnsComeOnceAndLinesEndByTheOptionOfNow) {
  PrintSink sink;
  const auto printer = make_printer("text", sink);
  TraceRecord record = begun(false);
  print(*printer, record, {false, false});
  print(*printer, record, {true, false});
  EXPECT_EQ(sink.text,
            "CPU     ID                    FUNCTION:NAME\n"
            "  3      7                       read:entry \n"
            "  3      7                       read:entry ");
}

TEST_F(TextPrinterTest, NumbersAndNamesWiderThanTheirColumns) {
  probe.id = ProbeId{4294967295};
  function = std::string(40, 'f');
  TraceRecord quiet = begun(), record = begun(false);
  record.cpu = 12345;
  PrintSink sink;
  const auto printer = make_printer("text", sink);
  print(*printer, quiet, {true, false});  // no columns, and no heading line above them later
  print(*printer, record, {false, false});
  EXPECT_EQ(sink.text, "12345 4294967295 " + std::string(40, 'f') + ":entry \n");
}

TEST_F(TextPrinterTest, CountsDataAsDTraceLaysItOut) {
  TraceRecord record;
  const uint64_t header = record.bytes();
  uint64_t stack[4] = {uint64_t{3} << 32 | 1};
  record.count_data(type(Kind::Integer, 4), 1, 256);
  EXPECT_EQ(record.bytes() - header, 4u);
  record.count_data(type(Kind::String), 1, 256);
  EXPECT_EQ(record.bytes() - header, 4u + 257);
  record.count_data(type(Kind::Stack), at(stack), 256);
  record.count_data(type(Kind::Stack), 0, 256);
  EXPECT_EQ(record.bytes() - header, 4u + 257 + 32 + 8);
}

}  // namespace
}  // namespace sonde
