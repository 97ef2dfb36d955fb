// SPDX-License-Identifier: GPL-3.0-or-later
// The results of the front end for valid texts: types, lowered trees, tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/compiler/check/front_fixture.h"

namespace sonde {
namespace {

using testing::HasSubstr;

const LoweredExpr& statement(const LoweredUnit& unit, size_t index = 0, size_t clause = 0) {
  return *unit.clauses.at(clause).statements.at(index).expression;
}

/// Fails if an expression has no type.
void expect_typed(const LoweredExpr& expr) {
  EXPECT_NE(expr.type, nullptr) << static_cast<int>(expr.kind);
  for (const LoweredExprPtr& kid : expr.kids) expect_typed(*kid);
}

void expect_typed(const std::vector<LoweredStatement>& list) {
  for (const LoweredStatement& one : list) {
    expect_typed(*one.expression);
    expect_typed(one.then_part);
    expect_typed(one.else_part);
  }
}

void expect_right(const std::string& text) {
  SCOPED_TRACE(text);
  Front front;
  SourceText source{SourceText::Kind::Name, text, text};
  LoweredUnit unit = front.compile(source);
  for (const Diagnostic& one : front.diagnostics.list()) ADD_FAILURE() << render(one, source, true);
  for (const LoweredClause& clause : unit.clauses) {
    if (clause.predicate) expect_typed(*clause.predicate);
    if (front.diagnostics.list().empty()) expect_typed(clause.statements);
  }
}

TEST(FrontEnd, TakesTheCommonOneLiners) {
  for (const char* text : {
           "BEGIN { exit(0); }",
           "BEGIN",
           "tick-1s",
           "syscall:::entry { @[execname, probefunc] = count(); }",
           "syscall:::entry { @ = count(); }",
           "syscall::openat:entry { printf(\"%s %s\\n\", execname, copyinstr(arg1)); }",
           "syscall::openat:entry { self->p = arg1; } syscall::openat:return /self->p/ { trace(copyinstr(self->p)); "
           "self->p = 0; }",
           "syscall::read:entry { self->t = timestamp; } syscall::read:return /self->t/ { @[execname] = "
           "quantize(timestamp - self->t); self->t = 0; }",
           "proc:::exec-success { printf(\"%s\\n\", curpsinfo->pr_psargs); trace(execname); }",
           "proc:::exec-success { trace(curpsinfo->pr_fname); trace(curlwpsinfo->pr_lwpid); }",
           "syscall::read:entry /fds[arg0].fi_pathname != \"\"/ { @[fds[arg0].fi_fs] = sum(arg2); "
           "trace(fds[arg0].fi_name); }",
           "BEGIN { this->x = 1; x = this->x + 2; a[x, \"k\"] = x; a[1, \"b\"]++; trace(a[1, \"b\"]); }",
           "BEGIN { printf(\"%*s|%-5d|%Y|%x\", 3, \"\", 5, walltimestamp, pid); }",
           "BEGIN { @a[1] = count(); @b[1] = sum(2); printa(\"%d %@d %@d\\n\", @a, @b); printa(@a); clear(@a); "
           "trunc(@a, 5); normalize(@b, 10); denormalize(@b); }",
           "BEGIN { x = 1 ? 2 : 3; s = x > 1 ? \"a\" : NULL; trace(s); }",
           "inline int OPT = 0; BEGIN { OPT ? printf(\"x\") : 1; pid > 3 ? trace(1) : trace(\"a\"); }",
           "BEGIN { pid > 1 ? @x[pid] = count() : 1; }",
           "BEGIN { if (pid > 1) { trace(1); } else if (uid == 0) trace(2); else { x = 3; } y = 1; }",
           "struct foo { int a; char b[8]; }; struct foo f; BEGIN { f.a = 1; f.b[0] = 'x'; trace(f.a); trace(sizeof "
           "(struct foo)); trace(f.b[f.a]); }",
           "struct foo { int a; struct foo *next; }; struct foo *p; BEGIN { p = alloca(sizeof (struct foo)); p->a = 3; "
           "p->next = p; trace(p->next->next->a); }",
           "enum color { RED, GREEN = 5, BLUE }; BEGIN { trace(BLUE); x = (enum color)1; }",
           "typedef unsigned long ul; ul z; self ul w; BEGIN { z = (ul)3; self->w = z; }",
           "BEGIN { this->s = (char *)copyin(arg0, 10); this->s[3] = '\\0'; trace(stringof(this->s)); }",
           "int h[3]; BEGIN { h[1] = 2; h[0] += h[1]; trace(h[h[1]]); }",
           "BEGIN { trace((int)arg0 < 0 || arg0 != -1); n = 0; ++n; }",
           "int n; BEGIN { n++; --n; n <<= 2; trace(-n + ~n); }",
           "string a[int, string]; BEGIN { a[1, \"x\"] = \"y\"; a[2, \"\"] = 0; }",
           "profile:::tick-1s, dtrace:::END { trace(ustackdepth); ustack(); ustack(5); @[ustack(3)] = count(); "
           "usym(arg0); @s[usym(arg0), umod(arg1)] = count(); }",
           "BEGIN { @a = lquantize(3, 0, 10, 2); @b = llquantize(5, 10, 0, 1, 5); @c = avg(1); @d = stddev(2); @e = "
           "min(-1); @f = max(3); @g = quantize(3, 2); }",
           "dtrace:::ERROR { trace(arg4 == DTRACEFLT_BADADDR); trace(errno == ENOENT); trace(SIGSEGV + AF_INET + "
           "O_CREAT); }",
           "BEGIN { trace(cwd); trace(root); trace(zonename); trace(curpsinfo->pr_projid); trace((boolean_t)1); }",
           "BEGIN { system(\"echo %d\", pid); stop(); raise(SIGTERM); tracemem(arg0, 16); setopt(\"quiet\"); "
           "setopt(\"aggrate\", \"1s\"); }",
           "translator struct out < int I > { a = I + 1; }; BEGIN { }",
           "BEGIN /pid == 1 && execname == \"init\" ^^ uid/ { strlen(execname); trace(strjoin(\"a\", lltostr(pid))); "
           "trace(substr(\"abc\", 1)); trace(basename(\"/a\")); }",
           "BEGIN, END /* c */ { /* c */ trace(1) }",
           "BEGIN /pid / 2 > 1/ { } END /1/ { }\nBEGIN /arg0 ? 1 : 0/ { }",
       }) {
    bool forward = std::string(text).starts_with("translator struct out");
    if (forward)
      expect_right("struct out { int a; }; " + std::string(text) +
                   " END { trace(xlate <struct out> (3).a); trace((xlate <struct out *> (pid))->a); }");
    else
      expect_right(text);
  }
}

TEST(FrontEnd, FoldsConstantsInSixtyFourBits) {
  Front front;
  LoweredUnit unit = front.compile(
      "BEGIN { trace(0x7fffffff + 1); trace(1 << 33); x = lltostr(1 << 31); trace(7 / -2); trace(-7 % 3); trace(-1 > "
      "1UL); trace('ab'); trace(sizeof (0xffffffff)); trace('\\''); }");
  ASSERT_FALSE(front.diagnostics.any()) << front.diagnostics.list()[0].message;
  auto number = [&](size_t i) { return static_cast<int64_t>(statement(unit, i).kids.at(0)->integer); };
  EXPECT_EQ(number(0), INT32_MIN);
  EXPECT_EQ(number(1), 0);
  EXPECT_EQ(static_cast<int64_t>(statement(unit, 2).kids[1]->kids[0]->integer), 2147483648);
  EXPECT_EQ(number(3), -3);
  EXPECT_EQ(number(4), -1);
  EXPECT_EQ(number(5), 1);
  EXPECT_EQ(number(6), 0x6162);
  EXPECT_EQ(number(7), 4);
  EXPECT_EQ(number(8), 23591);
}

TEST(FrontEnd, FoldsWhatAnOptionOfAScriptDecides) {
  Front front;
  const LoweredUnit unit = front.compile(
      R"(BEGIN { trace("" == ""); trace("a" != ""); trace("b" == "ab"); trace("" == "" || execname == "a"); )"
      R"(trace(0 && pid); trace(pid && 0); trace(1 && pid > 3); trace(pid > 3 || 0); trace("ab" == "ac"); )"
      R"(trace(x++ && 0); trace(*(int *)copyin(0, 4) && 0); trace(1 && pid); })");
  ASSERT_FALSE(front.diagnostics.any()) << front.diagnostics.list()[0].message;
  const auto traced = [&](size_t i) -> const LoweredExpr& { return *statement(unit, i).kids.at(0); };
  const int64_t constants[] = {1, 1, 0, 1, 0, 0};
  for (size_t i = 0; i < std::size(constants); i++) {
    ASSERT_EQ(traced(i).kind, LoweredKind::Integer) << i;
    EXPECT_EQ(static_cast<int64_t>(traced(i).integer), constants[i]) << i;
  }
  EXPECT_EQ(traced(6).kind, LoweredKind::Binary) << "the comparison alone";
  EXPECT_EQ(traced(7).kind, LoweredKind::Binary);
  EXPECT_EQ(traced(8).kind, LoweredKind::Binary) << "strsize decides it";
  for (size_t i = 9; i < 12; i++)
    EXPECT_EQ(traced(i).kind, LoweredKind::Logical) << i << ": a change, a fault, a number";
}

TEST(FrontEnd, FirstAssignmentFixesTheType) {
  Front front;
  LoweredUnit unit =
      front.compile("BEGIN { a = (char)3; b = \"abc\"; c = timestamp; self->d = arg0; e[1, \"k\"] = 2; }");
  ASSERT_FALSE(front.diagnostics.any());
  ASSERT_EQ(front.program.variables.size(), 4u);
  EXPECT_EQ(front.program.variables[0].type.size, 1u);
  EXPECT_EQ(front.program.variables[1].type.kind, ValueType::Kind::String);
  EXPECT_EQ(front.program.variables[2].type.size, 8u);
  EXPECT_FALSE(front.program.variables[2].type.is_signed);
  EXPECT_EQ(front.program.variables[3].scope, VariableDesc::Scope::Self);
  ASSERT_EQ(front.program.arrays.size(), 1u);
  EXPECT_EQ(front.program.arrays[0].keys.size(), 2u);
}

TEST(FrontEnd, AFailedTextLeavesNoTrace) {
  Front front;
  front.compile("int kept; BEGIN { @k = count(); }");
  ASSERT_FALSE(front.diagnostics.any());
  front.compile("struct gone { int a; }; int gone; BEGIN { @g = count(); lost = 1; printf(\"x\"); nosuch; }");
  EXPECT_TRUE(front.diagnostics.any());
  EXPECT_EQ(front.program.variables.size(), 1u);
  EXPECT_EQ(front.program.aggregations.size(), 1u);
  EXPECT_EQ(front.program.sites.size(), 0u);
  EXPECT_EQ(front.world->types.find("struct gone"), nullptr);
}

TEST(FrontEnd, ReadsMacros) {
  Front front;
  front.macros.arguments = {"12", "read", "-5"};
  front.macros.target = [] { return 77; };
  LoweredUnit unit = front.compile("syscall::$2:entry /pid == $target && arg0 == $1/ { trace($$2); trace($3); }");
  ASSERT_FALSE(front.diagnostics.any()) << front.diagnostics.list()[0].message;
  EXPECT_EQ(unit.clauses[0].descriptions[0].function, "read");
  EXPECT_EQ(statement(unit, 0).kids[0]->text, "read");
  EXPECT_EQ(static_cast<int64_t>(statement(unit, 1).kids[0]->integer), -5);
}

TEST(FrontEnd, MacroArgumentsHaveSixtyFourBits) {
  Front front;
  front.macros.arguments = {"99999999999999999999"};
  EXPECT_THAT(front.rendered("BEGIN { trace($1); }"), HasSubstr("[D_MACRO_OFLOW]"));
}

/// A provider whose args[0] has these types.
class OddProvider {
 public:
  OddProvider(std::string native, std::string translated)
      : native_(std::move(native)), translated_(std::move(translated)) {
    static const dtrace_pattr_t attributes{};
    dtrace_pops_t ops{};
    ops.dtps_provide = [](void* self, const dtrace_probedesc_t*) {
      dtrace_probe_create(static_cast<OddProvider*>(self)->id_, "m", "f", "fires", 0, nullptr);
    };
    ops.dtps_enable = ops.dtps_disable = ops.dtps_destroy = [](void*, dtrace_id_t, void*) {};
    ops.dtps_getargdesc = [](void* self, dtrace_id_t, void*, dtrace_argdesc_t* argument) {
      if (argument->dtargd_ndx != 0) {
        argument->dtargd_ndx = DTRACE_ARGNONE;
        return;
      }
      const auto& of = *static_cast<OddProvider*>(self);
      std::snprintf(argument->dtargd_native, sizeof argument->dtargd_native, "%s", of.native_.c_str());
      std::snprintf(argument->dtargd_xlate, sizeof argument->dtargd_xlate, "%s", of.translated_.c_str());
    };
    EXPECT_EQ(dtrace_register("odd", &attributes, DTRACE_PRIV_USER, nullptr, &ops, this, &id_), 0);
  }
  ~OddProvider() { EXPECT_EQ(dtrace_unregister(id_), 0); }

 private:
  std::string native_, translated_;
  dtrace_provider_id_t id_ = 0;
};

TEST(FrontEnd, AnArgumentWithoutItsTranslatorIsRefused) {
  Front front;
  OddProvider provider("int", "nowhereinfo_t *");
  EXPECT_THAT(front.rendered("odd:::fires { trace(args[0]->member); }"), HasSubstr("[D_ARGS_XLATOR]"));
}

/// Each was an integer in silence.
TEST(FrontEnd, ANativeTypeThatIsNoneIsRefused) {
  for (const char* type : {"no such type *", "unsigned it", "struct { int", "struct", "struct a b", "xxxxxxxxxxxxxxx",
                           "", "void", "int; } BEGIN { exit(3); }", "int\n", "const", "lnog", "uint32", "size_t x"}) {
    Front front;
    OddProvider provider(type, "");
    EXPECT_THAT(front.rendered("odd:::fires { trace(args[0]); }"),
                HasSubstr("[D_ARGS_TYPE] in action list: failed to resolve native type for args[0]: \"" +
                          std::string(type) + "\""))
        << type;
  }
}

TEST(FrontEnd, ANativeTypeThatIsOneIsTaken) {
  for (const char* type : {"int", "const char *", "long unsigned int", "struct anything *", "const struct anything **",
                           "void *", "union u *", "enum e", "size_t", "uint8_t", "int (*)(void *, int)", "const void *",
                           "app::list<int> &", "qid_t", "char *const *", "struct stat __user *"}) {
    Front front;
    OddProvider provider(type, "");
    EXPECT_EQ(front.rendered("odd:::fires { trace((uint64_t)args[0]); }"), "") << type;
  }
}

TEST(FrontEnd, ParsesFormats) {
  Front front;
  front.compile("BEGIN { printf(\"a%%b %-5d|%*.3s %hhx\\n\", 1, 2, \"x\", (char)1); }");
  ASSERT_FALSE(front.diagnostics.any()) << front.diagnostics.list()[0].message;
  const std::vector<Conversion>& format = front.program.sites.at(0).format;
  ASSERT_EQ(format.size(), 4u);
  EXPECT_EQ(format[0].literal, "a%b ");
  EXPECT_EQ(format[0].flags, "-");
  EXPECT_EQ(format[0].width, 5);
  EXPECT_TRUE(format[1].width_argument);
  EXPECT_EQ(format[1].precision, 3);
  EXPECT_EQ(format[2].letter, 'x');
  EXPECT_EQ(format[3].literal, "\n");
  EXPECT_EQ(format[3].letter, 0);
  EXPECT_EQ(front.program.sites[0].arguments.size(), 4u);
}

TEST(FrontEnd, SaysWhatWasLikelyMeant) {
  EXPECT_THAT(Front().rendered("syscall::opn:entry { trace(1); }"),
              HasSubstr("did you mean syscall:vmlinux:open:entry?"));
  EXPECT_THAT(Front().rendered("BEGIN { trace(exename); }"), HasSubstr("did you mean 'execname'?"));
  EXPECT_THAT(Front().rendered("BEGIN { prntf(\"x\"); }"), HasSubstr("did you mean 'printf'?"));
  EXPECT_THAT(Front().rendered("#pragma D option quite\nBEGIN { }"), HasSubstr("did you mean 'quiet'?"));
  EXPECT_EQ(Front().rendered("syscall:::entry { @a = count(; }"),
            "invalid probe specifier syscall:::entry { @a = count(; }: [D_SYNTAX] syntax error near \";\"\n"
            "    syscall:::entry { @a = count(; }\n"
            "                                 ^\n"
            "    a ) is missing before it\n");
}

TEST(FrontEnd, IsFast) {
  using Clock = std::chrono::steady_clock;
  auto micros = [](Clock::time_point from) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - from).count();
  };
  Front front;
  front.framework->match({"dtrace", "", "", "BEGIN", {}});
  auto start = Clock::now();
  front.compile("BEGIN { exit(0); }");
  std::printf("BEGIN { exit(0); }: %ld us\n", micros(start));
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "syscall::read:entry /pid == " + std::to_string(i) + "/ { self->t" + std::to_string(i % 10) +
            " = timestamp; @[execname, probefunc] = quantize(arg2 + " + std::to_string(i) + "); }\n";
  start = Clock::now();
  front.compile(text);
  long took = micros(start);
  std::printf("1000 clauses: %ld us\n", took);
  EXPECT_FALSE(front.diagnostics.any());
  EXPECT_LT(took, 20'000'000);
}

/// What a provider says of a probe in the kernel is foreign text: a mistake in it is reported, like one in a script.
TEST(ProbesOfTheKernel, AMistakeOfTheProviderIsReported) {
  static dtrace_provider_id_t id;
  Front front;
  const dtrace_pops_t ops = {.dtps_provide =
                                 [](void*, const dtrace_probedesc_t* spec) {
                                   if (spec != nullptr) return;
                                   const auto add = [](const char* name, const char* when, const char* derived) {
                                     sonde_probe_of_kernel(dtrace_probe_create(id, "m", "f", name, 0, nullptr), when,
                                                           derived);
                                   };
                                   add("right", "arg0 == 3 && tid != 0", "arg1 + 8");
                                   add("cut", "arg0 ==", nullptr);
                                   add("clauses", "1/ {} BEGIN /1", nullptr);
                                   add("unknown", "nosuch == 3", nullptr);
                                 },
                             .dtps_enable = [](void*, dtrace_id_t, void*) {},
                             .dtps_disable = [](void*, dtrace_id_t, void*) {},
                             .dtps_destroy = [](void*, dtrace_id_t, void*) {}};
  const dtrace_attribute_t plain = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING, DTRACE_CLASS_COMMON};
  const dtrace_pattr_t attributes = {plain, plain, plain, plain, plain};
  ASSERT_EQ(dtrace_register("wrong", &attributes, DTRACE_PRIV_KERNEL, nullptr, &ops, nullptr, &id), 0);
  EXPECT_EQ(front.rendered("wrong:::right { trace(arg0); }"), "");
  for (const char* name : {"cut", "clauses"}) {
    front.diagnostics = {};
    EXPECT_THAT(front.rendered("wrong:::" + std::string(name) + " { trace(arg0); }"),
                testing::HasSubstr("what the provider says of its probe is no expression of D"))
        << name;
  }
  front.diagnostics = {};
  EXPECT_THAT(front.rendered("wrong:::unknown { trace(arg0); }"), testing::HasSubstr("failed to resolve nosuch"));
  EXPECT_EQ(dtrace_unregister(id), 0);
}

/// An option of a script that nobody has given must cost nothing where the probe fires.
TEST(Front, ComparesTextsThatAreKnown) {
  struct Case {
    const char* predicate;
    int value;  ///< -1: not known before it fires
  };
  for (const auto& [predicate, value] :
       {Case{R"("" == "" || execname == "")", 1}, Case{R"("a" == "b" && pid)", 0}, Case{R"("ab" != "")", 1},
        Case{R"("same" != "same")", 0}, Case{R"("call" == "calls")", -1}, Case{R"("" < "a")", -1}}) {
    Front front;
    const LoweredUnit unit = front.compile(std::string("BEGIN /") + predicate + "/ { }");
    ASSERT_EQ(unit.clauses.size(), 1u) << predicate;
    const LoweredExpr& found = *unit.clauses[0].predicate;
    EXPECT_EQ(found.kind == LoweredKind::Integer ? static_cast<int>(found.integer) : -1, value) << predicate;
  }
}

/// What a provider says of a probe in D: clauses before the script's, a condition, arguments.
TEST(ProbesInD, ClausesComeBeforeTheScriptsAndArgumentsAreComputed) {
  static dtrace_provider_id_t id;
  Front front;
  const dtrace_pops_t ops = {
      .dtps_provide =
          [](void*, const dtrace_probedesc_t* spec) {
            if (spec != nullptr) return;
            const auto add = [](const char* name, const char* before, const char* when, const char* argument) {
              sonde_probe_in_d(dtrace_probe_create(id, "m", "f", name, 0, nullptr), before, when, &argument, 1);
            };
            const char* remembers = "syscall::read:entry { self->__told = arg0; } syscall::nosuchcall:entry { }";
            add("right", remembers, "self->__told != 0", "self->__told + 1");
            add("other", remembers, nullptr, "arg0");
            add("cut", "syscall::read:entry {", nullptr, "0");
            add("unknown", nullptr, "nosuch == 3", "0");
            add("argument", nullptr, nullptr, "arg0 +");
            dtrace_probe_create(id, "m", "f", "plain", 0, nullptr);
            sonde_probe_of_kernel(dtrace_probe_create(id, "m", "f", "kernel", 0, nullptr), nullptr, nullptr);
            add("kernel", nullptr, "arg1 != 0", "arg2 + 1");
            sonde_probe_of_kernel(dtrace_probe_create(id, "m", "f", "kernel-plain", 0, nullptr), nullptr, nullptr);
          },
      .dtps_enable = [](void*, dtrace_id_t, void*) {},
      .dtps_disable = [](void*, dtrace_id_t, void*) {},
      .dtps_destroy = [](void*, dtrace_id_t, void*) {}};
  const dtrace_attribute_t plain = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING, DTRACE_CLASS_COMMON};
  const dtrace_pattr_t attributes = {plain, plain, plain, plain, plain};
  ASSERT_EQ(dtrace_register("told", &attributes, DTRACE_PRIV_USER, nullptr, &ops, nullptr, &id), 0);
  const LoweredUnit unit =
      front.compile("told:::right { trace(arg0 + arg3); } told:::other, told:::right { trace(1); }");
  ASSERT_FALSE(front.diagnostics.any()) << front.diagnostics.list()[0].message;
  std::vector<bool> hidden;
  for (const LoweredClause& clause : unit.clauses) hidden.push_back(clause.hidden);
  EXPECT_EQ(hidden, std::vector({true, true, false, false})) << "once for two probes";
  ASSERT_EQ(unit.clauses[2].prefaces.size(), 1u);
  EXPECT_NE(unit.clauses[2].prefaces[0].when, nullptr);
  ASSERT_EQ(unit.clauses[2].prefaces[0].arguments.size(), 1u) << "arg3 is 0, and is not computed";
  EXPECT_EQ(unit.clauses[2].prefaces[0].arguments[0].first, 0u);
  ASSERT_EQ(unit.clauses[3].prefaces.size(), 2u);
  EXPECT_TRUE(unit.clauses[3].prefaces[0].arguments.empty()) << "no statement reads it";
  const LoweredUnit both = front.compile("told:::right, told:::kernel { trace(arg0); }");
  ASSERT_FALSE(front.diagnostics.any()) << front.diagnostics.list()[0].message;
  ASSERT_EQ(both.clauses.back().prefaces.size(), 2u);
  for (const LoweredPreface& one : both.clauses.back().prefaces)
    EXPECT_EQ(one.arguments.size(), 1u) << "the probe in the kernel has one, too";
  const std::pair<const char*, const char*> wrong[] = {
      {"told:::kernel, told:::kernel-plain { trace(arg0); }",
       "arg0 may not be referenced because it is computed for some probes of the clause, and passed to others"},
      {"told:::cut { }", "what the provider runs before its probe is no D"},
      {"told:::unknown { trace(1); }", "failed to resolve nosuch"},
      {"told:::argument { trace(arg0); }", "what the provider says of its probe is no expression of D"},
      {"told:::right, told:::plain { trace(arg0); }",
       "arg0 may not be referenced because it is computed for some probes of the clause, and passed to others"}};
  for (const auto& [text, why] : wrong) {
    front.diagnostics = {};
    EXPECT_THAT(front.rendered(text), testing::HasSubstr(why)) << text;
  }
  EXPECT_EQ(dtrace_unregister(id), 0);
}

}  // namespace
}  // namespace sonde
