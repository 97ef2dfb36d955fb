// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/flow_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>

namespace sonde {
namespace {

/// Rows of calls, as a consumer hands them to a printer.
class Rows {
 public:
  explicit Rows(const FlowStyle& style) : tree_(style) {}

  void entry(uint32_t tid, const std::string& function, uint64_t at) { row(tid, function, "entry", Flow::Entry, at); }
  void back(uint32_t tid, const std::string& function, uint64_t at) { row(tid, function, "return", Flow::Return, at); }
  void other(uint32_t tid, uint64_t at) { row(tid, "x", "tick", Flow::None, at); }
  /// A row whose clause runs a command.
  void command(uint32_t tid, uint64_t at) { row(tid, "x", "runs", Flow::None, at, TraceItem::Kind::System); }

  /// The rows without their blanks.
  std::string text(bool finished = true) {
    if (finished) tree_.finish(out_);
    return std::regex_replace(out_, std::regex(" +"), " ");
  }

 private:
  void row(uint32_t tid, const std::string& function, const std::string& name, Flow flow, uint64_t at,
           TraceItem::Kind kind = TraceItem::Kind::Trace) {
    const ProbeInfo probe{ProbeId{1}, provider_, module_, function, name};
    TraceRecord record;
    record.begun = record.flowindent = true;
    record.probe = &probe;
    record.tid = tid;
    record.timestamp = at;
    record.flow = flow;
    record.items.emplace_back().kind = kind;
    if (flow == Flow::Return && depth_[tid] > 0) depth_[tid]--;
    record.indent = 2 * depth_[tid];
    if (flow == Flow::Entry) depth_[tid]++;
    tree_.begin_row(record, out_);
    out_ += "\n";
    tree_.end_row(record, out_);
  }

  FlowTree tree_;
  std::map<uint32_t, int> depth_;
  const std::string provider_ = "pid1", module_;
  std::string out_;
};

TEST(FlowTree, IsDTracesRowsWhereNobodyLooks) {
  Rows rows({});
  rows.entry(1, "f", 0);
  rows.entry(1, "g", 10);
  rows.back(1, "g", 20);
  rows.back(1, "f", 30);
  EXPECT_EQ(rows.text(), " 0 -> f \n 0 -> g \n 0 <- g \n 0 <- f \n");
}

TEST(FlowTree, HasTimesOnATerminal) {
  Rows rows({Look::rich(), true, 0});
  rows.entry(1, "f", 0);
  rows.entry(1, "g", 1000);
  rows.back(1, "g", 2500);
  rows.back(1, "f", 3'000'000);
  const std::string bar = "\033[2m| \033[0m";
  EXPECT_EQ(rows.text(), " 0 -> f \n 0 " + bar + " -> g \n 0 " + bar + " <- g 1.50 us \n 0 <- f 3.00 ms \n");
}

TEST(FlowTree, HasTimesInNanoseconds) {
  Rows rows({Look::rich(), false, 0});
  rows.entry(1, "f", 0);
  rows.back(1, "f", 3'000'000);
  EXPECT_EQ(rows.text(), " 0 -> f \n 0 <- f 3000000 \n");
}

TEST(FlowTree, GivesNoTimeToACallWhoseEntryItDidNotSee) {
  Rows rows({Look::rich(), true, 0});
  rows.back(1, "f", 100);
  rows.entry(2, "f", 0);
  rows.back(1, "f", 200);
  EXPECT_EQ(rows.text(), " 0 <- f \n 0 -> f \n 0 <- f \n");
}

TEST(FlowTree, LeavesOutShortCallsAndKeepsTheCallersOfLongOnes) {
  Rows rows({Look::plain(), false, 100});
  rows.entry(1, "main", 0);
  rows.entry(1, "short", 10);
  rows.back(1, "short", 109);
  EXPECT_EQ(rows.text(false), "");
  rows.entry(2, "elsewhere", 110);
  rows.entry(1, "long", 120);
  rows.entry(1, "inner", 121);
  rows.back(1, "inner", 122);
  rows.back(2, "elsewhere", 130);
  rows.back(1, "long", 220);
  EXPECT_EQ(rows.text(false), " 0 -> main \n 0 -> long \n 0 <- long \n");
  rows.back(1, "main", 300);
  EXPECT_EQ(rows.text(), " 0 -> main \n 0 -> long \n 0 <- long \n 0 <- main \n");
}

TEST(FlowTree, LeavesOutWhatHappensInAShortCall) {
  Rows rows({Look::plain(), false, 100});
  rows.other(1, 0);
  rows.entry(1, "short", 1);
  rows.other(1, 2);
  rows.back(1, "short", 3);
  rows.entry(1, "long", 4);
  rows.other(1, 5);
  rows.back(1, "long", 104);
  EXPECT_EQ(rows.text(), " 0 | x:tick \n 0 -> long \n 0 | x:tick \n 0 <- long \n");
}

/// What a command prints must come behind the rows before it.
TEST(FlowTree, ShowsAtOnceWhatACommandFollows) {
  Rows rows({Look::plain(), false, 100});
  rows.entry(1, "short", 1);
  rows.command(1, 2);
  EXPECT_EQ(rows.text(false), " 0 -> short \n 0 | x:runs \n");
}

TEST(FlowTree, ShowsCallsThatDoNotReturnIfTheyLasted) {
  Rows rows({Look::plain(), false, 100});
  rows.entry(1, "waits", 0);
  rows.entry(2, "starts", 50);
  rows.other(3, 149);
  EXPECT_EQ(rows.text(), " 0 | x:tick \n 0 -> waits \n");
}

TEST(FlowTree, ShowsACallWhoseCalleesReturnWasNotSeen) {
  Rows rows({Look::plain(), false, 100});
  rows.entry(1, "f", 0);
  rows.entry(1, "longjmps", 10);
  rows.back(1, "f", 100);
  EXPECT_EQ(rows.text(), " 0 -> f \n 0 -> longjmps \n 0 <- f \n");
}

}  // namespace
}  // namespace sonde
