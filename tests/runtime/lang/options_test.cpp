// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/lang/options.h"

#include <gtest/gtest.h>

#include "runtime/source/capabilities.h"

namespace sonde {
namespace {

std::string set(Options& options, const char* name, const char* value, bool from_program = false,
                bool tracing = false) {
  auto result = options.set(name, value, from_program, tracing);
  return result ? "ok" : result.error().message();
}

constexpr const char* kInvalid = "Invalid value for specified option";

TEST(Options, InitialValues) {
  Options options;
  EXPECT_EQ(options.number("bufsize"), 4u << 20);
  EXPECT_EQ(options.number("switchrate"), 100'000'000u);
  EXPECT_EQ(options.number("aggrate"), 1'000'000'000u);
  EXPECT_FALSE(options.flag("quiet"));
  EXPECT_EQ(options.text("source"), "auto");
  EXPECT_FALSE(options.was_set("strsize"));
}

TEST(Options, WhatHasNoEffectSaysSoWhenItIsSet) {
  Options options;
  EXPECT_TRUE(options.without_effect().empty());
  ASSERT_EQ(set(options, "strsize", "64"), "ok");
  EXPECT_TRUE(options.without_effect().empty()) << "strsize has one";
  size_t count = 0;
  for (const OptionRow& row : kOptions) {
    if (!row.has_no_effect) continue;
    const char* value = row.kind == OptionKind::Text && row.name.starts_with("link") ? "dynamic" : "1";
    if (row.name == "late") value = "static";
    if (row.name == "linktype") value = "dof";
    ASSERT_EQ(set(options, std::string(row.name).c_str(), value), "ok") << row.name;
    EXPECT_EQ(options.without_effect().size(), ++count) << row.name;
  }
  EXPECT_GE(count, 12u);
  EXPECT_EQ(options.without_effect().front(), "option core has no effect: Sonde takes no names from core files");
}

TEST(Options, EachSourceCanBeNamed) {
  Options options;
  for (const SourceRow& row : kSourceRows) EXPECT_EQ(set(options, "source", std::string(row.name).c_str()), "ok");
  EXPECT_EQ(set(options, "source", "auto"), "ok");
  EXPECT_EQ(set(options, "source", "nosuch"), kInvalid);
  EXPECT_EQ(set(options, "source", ""), kInvalid);
}

TEST(Options, Values) {
  struct {
    const char *name, *value;
    uint64_t number;
  } const cases[] = {
      {"quiet", "", 1},
      {"quiet", "YES", 1},
      {"quiet", "off", 0},
      {"quiet", "Disabled", 0},
      {"bufsize", "16k", 16384},
      {"bufsize", "2M", 2 << 20},
      {"bufsize", "1", 1},
      {"bufsize", "0x10", 16},
      {"bufsize", "3g", 3ull << 30},
      {"bufsize", "1t", 1ull << 40},
      {"switchrate", "10", 100'000'000},
      {"switchrate", "10hz", 100'000'000},
      {"switchrate", "5sec", 5'000'000'000},
      {"switchrate", "100ms", 100'000'000},
      {"aggrate", "1d", 86400'000'000'000},
      {"stackindent", "0", 0},
      {"strsize", "2", 2},
  };
  for (const auto& c : cases) {
    Options options;
    EXPECT_EQ(set(options, c.name, c.value), "ok") << c.name << "=" << c.value;
    EXPECT_EQ(options.number(c.name), c.number) << c.name << "=" << c.value;
    EXPECT_TRUE(options.was_set(c.name));
  }
}

TEST(Options, RefusedValues) {
  const char* const cases[][2] = {
      {"bufsize", "0"},
      {"bufsize", "-40"},
      {"bufsize", "1b"},
      {"bufsize", ""},
      {"bufsize", "245566729809009887663"},
      {"bufsize", "99999999999t"},
      {"strsize", "1"},
      {"switchrate", "0"},
      {"switchrate", "1x"},
      {"switchrate", "99999999999d"},
      {"quiet", "maybe"},
      {"bufpolicy", "spill"},
      {"evaltime", "never"},
      {"stackindent", "-1"},
      {"bufresize", "always"},
  };
  for (const auto& c : cases) {
    Options options;
    EXPECT_EQ(set(options, c[0], c[1]), kInvalid) << c[0] << "=" << c[1];
    EXPECT_FALSE(options.was_set(c[0]));
  }
}

TEST(Options, VersionsThatAreKnown) {
  Options options;
  for (const char* fine : {"1.0", "1.6.4", "1.13", "2.0", "2.0.0"})
    EXPECT_EQ(set(options, "version", fine), "ok") << fine;
  for (const char* unknown : {"0.9", "2.1", "2.0.1", "99.0"})
    EXPECT_EQ(set(options, "version", unknown), "Requested version is not supported by compiler") << unknown;
  for (const char* malformed : {"", "1", "1.", ".1", "1.x", "1.2.3.4", "1.5000", "300.1", "1.0 "})
    EXPECT_EQ(set(options, "version", malformed), "Version is not properly formatted or is too large") << malformed;
}

TEST(Options, WhoMaySetWhatWhen) {
  Options options;
  EXPECT_EQ(set(options, "nosuch", "1"), "Invalid option name");
  EXPECT_EQ(set(options, "source", "ptrace", true), "Option cannot be used from within a D program");
  EXPECT_EQ(set(options, "evaltime", "postinit"), "ok");
  EXPECT_EQ(set(options, "evaltime", "main", true), "ok");
  EXPECT_EQ(set(options, "evaltime", "later"), "Invalid value for specified option");
  EXPECT_EQ(set(options, "bufsize", "8k", true, true), "Operation illegal when tracing is active");
  EXPECT_EQ(set(options, "quiet", "", true, true), "ok");
  EXPECT_EQ(set(options, "bufsize", "8k", true), "ok");
}

TEST(Options, Lists) {
  Options options;
  EXPECT_TRUE(options.list("define").empty());
  EXPECT_EQ(set(options, "define", "A=1"), "ok");
  EXPECT_EQ(set(options, "define", "B"), "ok");
  EXPECT_EQ(options.list("define"), (std::vector<std::string>{"A=1", "B"}));
  for (const char* name : {"undef", "incdir", "libdir"}) {
    EXPECT_EQ(set(options, name, "x"), "ok") << name;
    EXPECT_EQ(set(options, name, ""), kInvalid) << name;
    EXPECT_EQ(set(options, name, "x", true), "Option cannot be used from within a D program") << name;
  }
}

TEST(Options, OfThePreprocessor) {
  Options options;
  EXPECT_EQ(options.text("cpppath"), "cpp");
  EXPECT_FALSE(options.flag("cpp"));
  EXPECT_EQ(set(options, "cpp", ""), "ok");
  EXPECT_EQ(set(options, "cpphdrs", "yes"), "ok");
  EXPECT_TRUE(options.flag("cpp") && options.flag("cpphdrs"));
  EXPECT_EQ(set(options, "stdc", "x"), kInvalid);
}

TEST(Options, FromTheEnvironment) {
  char quiet[] = "DTRACE_OPT_QUIET=", size[] = "DTRACE_OPT_STRSIZE=512", other[] = "HOME=/";
  char* good[] = {other, quiet, size, nullptr};
  Options options;
  ASSERT_TRUE(options.set_from_environment(good));
  EXPECT_TRUE(options.flag("quiet"));
  EXPECT_EQ(options.number("strsize"), 512u);
  char bad[] = "DTRACE_OPT_NOSUCH=1";
  char* wrong[] = {bad, nullptr};
  EXPECT_EQ(options.set_from_environment(wrong).error().message(),
            "failed to set DTRACE_OPT_NOSUCH: Invalid option name");
}

}  // namespace
}  // namespace sonde
