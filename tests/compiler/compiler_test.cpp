// SPDX-License-Identifier: GPL-3.0-or-later
// D texts through the whole pipeline: how they are split, and what a BEGIN clause prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/compiler.h"
#include "providers/registry.h"
#include "runtime/consumer/consumer.h"

namespace sonde {
namespace {

using testing::HasSubstr;

class Text final : public Output {
 public:
  std::string written, messages;
  void write(std::string_view text) override { written += text; }
  void message(std::string_view text) override { (messages += text) += '\n'; }
  void flush() override {}
};

class CompilerTest : public testing::Test {
 protected:
  CompilerTest() : framework_(nullptr) {
    register_providers();
    EXPECT_TRUE(options_.set("quiet", "1", false, false));
    compiler_ = std::make_unique<Compiler>(program_, framework_, options_);
  }
  ~CompilerTest() override {
    compiler_.reset();
    unregister_providers();
  }

  Result<std::vector<CompiledText>> compile(const std::string& text) {
    SourceText source{SourceText::Kind::Name, text, text};
    return compiler_->compile(std::span(&source, 1), {});
  }

  /// The fire parts of a text, which must compile.
  std::string fire(const std::string& text) {
    auto compiled = compile(text);
    EXPECT_TRUE(compiled) << compiled.error().message();
    return compiled ? compiler_->disassembly(compiled->at(0)) : "";
  }

  /// The output of the BEGIN clauses of a text.
  std::string run(const std::string& text) {
    auto compiled = compile(text);
    EXPECT_TRUE(compiled) << compiled.error().message();
    if (!compiled) return "";
    Text output;
    {
      Consumer consumer(program_, framework_, nullptr, options_, output);
      framework_.on_ecb = [&](const EcbInfo& ecb) { consumer.add_ecb(ecb); };
      auto enabled = framework_.enable_all(compiler_->enablings(compiled->at(0)));
      EXPECT_TRUE(enabled) << enabled.error().message();
      framework_.fire(ProbeId{1}, {});
      consumer.drain_all();
      if (enabled) {
        for (uint32_t one : *enabled) EXPECT_TRUE(framework_.disable(one));
      }
      framework_.on_ecb = nullptr;
    }
    return output.written + output.messages;
  }

  Framework framework_;
  BodyProgram program_;
  Options options_;
  std::unique_ptr<Compiler> compiler_;
};

TEST_F(CompilerTest, EntryOfALatencyScriptRecordsNothing) {
  EXPECT_EQ(fire("syscall::read:entry { self->t = timestamp; } "
                 "syscall::read:return /self->t/ { @[execname] = quantize(timestamp - self->t); self->t = 0; }"),
            "syscall::read:entry\n"
            "0000  VAR      r0, timestamp\n"
            "0001  STT      r0, self[0]\n"
            "0002  FAIL\n"
            "\n"
            "syscall::read:return    (folds)\n"
            "0000  LDT      r0, self[0]\n"
            "0001  JZ       r0, 0011\n"
            "0002  LI       r0, 0\n"
            "0003  CAPTEXT  s0, r0, execname\n"
            "0004  VAR      r0, timestamp\n"
            "0005  LDT      r1, self[0]\n"
            "0006  SUB      r0, r0, r1\n"
            "0007  CAPW     s1, r0\n"
            "0008  LI       r0, 0\n"
            "0009  STT      r0, self[0]\n"
            "0010  RECORD\n"
            "0011  FAIL\n");
}

/// Clauses that only aggregate, and whose keys and values depend on nothing that a record would have of its own.
TEST_F(CompilerTest, WhatFolds) {
  const char* const folds[] = {
      "{ @ = count(); }",
      ("/pid == 3 && execname != \"x\"/ { @[execname, probefunc, probeprov, probemod, probename, epid, id] = "
       "sum(arg0); }"),
      "{ @[pid, tid, uid, cpu, arg1 % 7, arg2 > 3 ? 1 : 2, uregs[R_PC], -arg1, (char)arg0] = max(arg0 * 2 - arg1); }",
      "{ @[copyinstr(arg0), copyinstr(arg1, 20), \"text\", 5] = min(errno); }",
      "{ self->a = arg0; this->b = arg1; @[self->a] = avg(this->b); @two = stddev(arg0); self->a = 0; }",
      "{ @a = count(); @b = quantize(arg0, arg1); @c = lquantize(arg0, 0, 100, 5); @d = max(timestamp); }",
      "{ @[arg0] = count(); } tick-1s, END, profile-97 { printa(@); clear(@); trunc(@, 5); }",
  };
  const char* const records[] = {
      "{ @[timestamp] = count(); }",
      "{ @[walltimestamp] = count(); }",
      "{ @[ustack()] = count(); }",
      "{ @[strjoin(execname, \"x\")] = count(); }",
      "{ x++; @ = count(); }",
      "{ @ = sum(total); total = 1; }",
      "/total/ { @ = count(); } syscall::write:entry { total = 1; }",
      "{ if (arg0) @ = count(); }",
      "{ @ = count(); trace(1); }",
      "{ @ = llquantize(arg0, 10, 0, 3, 10); }",
      "{ @ = sum(arg0 / arg1); }",
      "{ @[arg0 / arg1] = count(); }",
      "{ @ = sum(*(int *)copyin(arg0, 4)); }",
      "{ self->a = 1; @a[self->a] = count(); self->a = 2; @b[self->a] = count(); }",
      "{ @a = count(); @b = count(); @c = count(); @d = count(); @e = count(); }",
      "{ @[argstr] = count(); }",
      "{ @ = count(); } syscall::write:entry { clear(@); }",
      "{ @[stack(), ustack()] = count(); }",
      "{ @ = count(); } syscall::write:entry { printa(@); }",
      "{ @ = count(); } syscall::write:entry { if (arg0) trunc(@); }",
      "{ @ = count(); } ERROR { normalize(@, 2); }",
  };
  const auto says = [this](const char* text) {
    program_ = {};
    compiler_ = std::make_unique<Compiler>(program_, framework_, options_);
    EXPECT_TRUE(compile("int64_t total;"));
    return fire(std::string("syscall::read:entry ") + text).starts_with("syscall::read:entry    (folds)\n");
  };
  for (const char* text : folds) EXPECT_TRUE(says(text)) << text;
  for (const char* text : records) EXPECT_FALSE(says(text)) << text;
}

TEST_F(CompilerTest, PathAtReturnIsNotHeld) {
  std::string text = fire(
      "syscall::openat:entry { self->p = arg1; } syscall::openat:return /self->p/ { trace(copyinstr(self->p)); self->p "
      "= 0; }");
  EXPECT_THAT(text, HasSubstr("CAPSTR   s0, r0, 255"));  // plus the NUL
  EXPECT_THAT(text, testing::Not(HasSubstr("held")));
  EXPECT_THAT(fire("syscall::openat:entry { x = arg1; trace(copyinstr(x)); }"), HasSubstr("held"));
}

TEST_F(CompilerTest, BeginPrints) {
  EXPECT_EQ(run("BEGIN { printf(\"%d %s %x\\n\", 6 * 7, \"abc\", -1 & 0xff); }"), "42 abc ff\n");
  EXPECT_EQ(run("BEGIN { x = 3; b = x++ + ++x; printf(\"%d %d\\n\", b, x); }"), "8 5\n");
  EXPECT_EQ(run("BEGIN { s = strjoin(\"a\", \"bc\"); t = s; printf(\"%s %d %s\\n\", t, strlen(s), s == t ? \"same\" : "
                "\"other\"); }"),
            "abc 3 same\n");
  EXPECT_EQ(run("BEGIN { s = \"b\"; printf(\"%s\\n\", strjoin(strjoin(\"a\", s), strjoin(s, strjoin(\"c\", s)))); }"),
            "abbcb\n");
  EXPECT_EQ(run("BEGIN { a[\"x\", 1] = 5; a[\"x\", 1] += 2; printf(\"%d %d\\n\", a[\"x\", 1], a[\"y\", 1]); }"),
            "7 0\n");
  EXPECT_EQ(run("BEGIN { this->i = 5; self->j = this->i * 2; printf(\"%d %d\\n\", this->i, self->j); }"), "5 10\n");
  EXPECT_EQ(run("BEGIN { printf(\"%d %d %d\\n\", 0x7fffffff + 1, 1 << 40, (char)300); }"), "-2147483648 0 44\n");
  EXPECT_EQ(run("BEGIN { printf(\"%s:%s\\n\", probeprov, probename); }"), "dtrace:BEGIN\n");
  EXPECT_EQ(run("BEGIN { p = (int *)alloca(8); *(p + 1) = 7; p[0] = 2; printf(\"%d\\n\", p[0] + p[1]); }"), "9\n");
}

TEST_F(CompilerTest, StructsAndMembers) {
  EXPECT_EQ(run("struct pair { int a; short b; }; struct pair p; BEGIN { p.a = 5; p.b = -2; q = p; printf(\"%d "
                "%d\\n\", q.a, q.b); }"),
            "5 -2\n");
}

TEST_F(CompilerTest, FaultsEndTheClause) {
  std::string text = run("BEGIN { printf(\"before\\n\"); x = 0; trace(1 / x); } BEGIN { printf(\"next\\n\"); }");
  EXPECT_THAT(text, HasSubstr("next\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("before\n")));
  EXPECT_THAT(text, HasSubstr("divide-by-zero"));
}

TEST_F(CompilerTest, AFailedCallLeavesNoClause) {
  auto compiled = compile("BEGIN { trace(1); } BEGIN { trace(nosuch); }");
  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.error().message(), HasSubstr("nosuch"));
  EXPECT_TRUE(program_.clauses.empty());
  EXPECT_EQ(run("BEGIN { printf(\"fine\\n\"); }"), "fine\n");
}

TEST_F(CompilerTest, ClausesAreDescribed) {
  ASSERT_TRUE(compile("BEGIN { @ = count(); }\nBEGIN { x = 1; }\nBEGIN { stop(); }\nBEGIN { exit(0); }"));
  ASSERT_EQ(program_.clauses.size(), 4u);
  EXPECT_FALSE(program_.clauses[1].records);
  EXPECT_TRUE(program_.clauses[2].destructive);
  EXPECT_TRUE(program_.clauses[2].held);
  EXPECT_TRUE(program_.clauses[3].records);
  EXPECT_EQ(program_.clauses[3].line, 4u);
  const ClauseDesc::Span statement = program_.clauses[1].places.at(1);
  EXPECT_EQ(program_.clauses[1].text->substr(statement.begin, statement.end - statement.begin), "x = 1");
}

TEST_F(CompilerTest, PreviewNamesDescriptions) {
  std::string text = "syscall::open*:entry, syscall::read: { trace($target); } BEGIN { }";
  SourceText source{SourceText::Kind::Name, text, text};
  auto all = compiler_->preview(std::span(&source, 1), {});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(to_string(all[0]), "syscall::open*:entry");
  EXPECT_EQ(to_string(all[2]), ":::BEGIN");
}

TEST_F(CompilerTest, ArgumentsThatNoTextNamesAreAnError) {
  SourceText texts[] = {{SourceText::Kind::Name, "BEGIN { trace($1); }", "BEGIN { trace($1); }"},
                        {SourceText::Kind::Name, "tick-$2 { trace(1); }", "tick-$2 { trace(1); }"}};
  auto unused = compiler_->compile(texts, {"", {"5", "1s", "more"}, 0});
  ASSERT_FALSE(unused);
  EXPECT_EQ(unused.error().message(),
            "invalid probe specifier BEGIN { trace($1); }: extraneous argument 'more' ($3 is not referenced)\n"
            "    name it $3 in the program, or use -x argref\n");
  ASSERT_TRUE(options_.set("errtags", "", false, false));
  unused = compiler_->compile(texts, {"", {"5", "1s", "more"}, 0});
  ASSERT_FALSE(unused);
  EXPECT_THAT(unused.error().message(), HasSubstr("[D_MACRO_UNUSED] extraneous"));
  EXPECT_TRUE(compiler_->compile(texts, {"", {"5", "1s"}, 0}));
  ASSERT_TRUE(options_.set("argref", "", false, false));
  EXPECT_TRUE(compiler_->compile(texts, {"", {"5", "1s", "more"}, 0}));
}

TEST_F(CompilerTest, ARunOfDigitsIsAProbesId) {
  SourceText by_number{SourceText::Kind::Name, "1 { trace(7); }", "1 { trace(7); }"};
  SourceText unknown{SourceText::Kind::Name, "0 { trace(7); }", "0 { trace(7); }"};
  auto compiled = compiler_->compile(std::span(&by_number, 1), {});
  ASSERT_TRUE(compiled) << compiled.error().message();
  EXPECT_EQ(compiled->at(0).matched, 1u);
  EXPECT_EQ(compiler_->preview(std::span(&by_number, 1), {}).size(), 1u);
  EXPECT_FALSE(compiler_->compile(std::span(&unknown, 1), {}));
}

/// Texts with random typing errors: each is compiled or refused with a message, none crashes or hangs.
TEST_F(CompilerTest, MangledTextsAreRefusedInWords) {
  const std::string whole =
      "struct s { int a; char b[4]; }; inline int twice[int x] = x * 2; translator struct s < int I > { a = I; };\n"
      "int table[4]; self string name;\n"
      "BEGIN, tick-10ms /$1 == 3 && self->name != NULL/ { this->p = (char *)alloca(9); this->p[table[1]] = 'x'; "
      "m[\"k\", 2]++; @a[execname, probefunc] = lquantize(twice[3], 0, 10, 2); printf(\"%-*s|%5.2d %S\", 4, \"a\\tb\", "
      "7, stringof(this->p)); "
      "x ? printa(\"%s %@d\\n\", @a) : trunc(@a, 3); y = xlate <struct s> (4).a; table[y] = sizeof (struct s); }\n";
  const std::string spice = "{}()[]/;,@*&.->\"'%?:=+0$`#\\ ";
  uint64_t seed = 17;
  auto random = [&seed](size_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((seed >> 33) % below);
  };
  for (int round = 0; round < 400; ++round) {
    std::string text = whole;
    if (round % 4 == 0) text.resize(random(text.size()));
    for (size_t i = random(4); i > 0 && !text.empty(); --i) text.erase(random(text.size()), 1 + random(3));
    for (size_t i = random(3); i > 0; --i) text.insert(random(text.size() + 1), 1, spice[random(spice.size())]);
    SourceText source{SourceText::Kind::Script, "cat.d", text};
    auto compiled = compiler_->compile(std::span(&source, 1), {"cat.d", {"3"}, 0});
    if (!compiled) {
      EXPECT_FALSE(compiled.error().message().empty()) << text;
    }
  }
}

TEST_F(CompilerTest, MembersOfWhatIsTyped) {
  ASSERT_TRUE(
      compile("struct one { int alpha; struct one *next; char text[8]; int bits : 3; };\n"
              "union two { long whole; int half; }; self struct one *mine; int seen;"));
  const auto of = [this](const std::string& text) {
    std::string all;
    for (const NamedType& one : compiler_->members(text, {})) all += one.name + " " + one.type + ";";
    return all;
  };
  const std::string one = "alpha int;next struct one *;text char [8];bits int;";
  EXPECT_EQ(of("BEGIN { trace(((struct one *)arg0)->"), one);
  EXPECT_EQ(of("BEGIN /((struct one *)arg0)->next->al"), one);
  EXPECT_EQ(of("BEGIN { this->p = (struct one *)arg0; @[this->p->next->"), one) << "an assignment in front of it";
  EXPECT_EQ(of("BEGIN { trace((*(union two *)arg0)."), "whole long;half int;");
  EXPECT_EQ(of("BEGIN { self->mine->"), one);
  EXPECT_EQ(of("BEGIN { this->p = 1; self->"), "mine struct one *;") << "the variables themselves";
  EXPECT_THAT(of("BEGIN { this->quux = 1; this->"), HasSubstr("quux int;"));
  EXPECT_THAT(of("BEGIN { curpsinfo->"), HasSubstr("pr_psargs char [80];")) << "of a translated object";
  EXPECT_EQ(of("BEGIN { seen->"), "") << "no record";
  EXPECT_EQ(of("BEGIN { nosuch->"), "");
  EXPECT_EQ(of("BEGIN { wrong(; ((struct one *)arg0)->"), "") << "what stands in front of it is wrong";
  EXPECT_FALSE(compile("BEGIN { trace(this->quux); }")) << "what was only asked is not defined";
  std::string globals;
  for (const NamedType& variable : compiler_->globals()) globals += variable.name + " " + variable.type + ";";
  EXPECT_THAT(globals, HasSubstr("seen int;"));
}

}  // namespace
}  // namespace sonde
