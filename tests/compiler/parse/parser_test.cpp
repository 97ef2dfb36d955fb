// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <vector>

#include "DParser.h"
#include "antlr4-runtime.h"
#include "compiler/parse/literals.h"
#include "compiler/parse/modal_lexer.h"
#include "compiler/parse/parser.h"
#include "compiler/parse/token_source.h"

namespace sonde {
namespace {

SyntaxTree parsed(const std::string& text, Diagnostics& diagnostics) {
  ParserQuestions questions{
      [](std::string_view name) { return name == "foo_t"; },
      [](std::string_view name) { return name == "1" ? std::optional<std::string>("7") : std::nullopt; }};
  return parse(text, false, questions, diagnostics);
}

/// The tree in prefix form, which shows precedences.
std::string shape(const Expr& expr) {
  std::string out;
  switch (expr.kind) {
    case ExprKind::Integer: return std::to_string(expr.integer);
    case ExprKind::String: return "\"" + expr.text + "\"";
    case ExprKind::Name: return expr.text;
    case ExprKind::Cast: out = "cast"; break;
    case ExprKind::Member: out = (expr.arrow ? "->" : ".") + expr.text; break;
    case ExprKind::Index: out = "[]"; break;
    case ExprKind::Call: out = "()"; break;
    case ExprKind::Conditional: out = "?:"; break;
    case ExprKind::Deref: out = "deref"; break;
    case ExprKind::Comma: out = ","; break;
    case ExprKind::SizeofExpr: out = "sizeof"; break;
    default: out = expr.text; break;
  }
  out = "(" + out;
  for (const ExprPtr& kid : expr.kids) out += " " + shape(*kid);
  return out + ")";
}

std::string expression(const std::string& text) {
  Diagnostics diagnostics;
  SyntaxTree tree = parsed("BEGIN { " + text + "; }", diagnostics);
  if (diagnostics.any()) return diagnostics.list()[0].message;
  return shape(*std::get<ClauseAst>(tree.items.at(0)).statements.at(0).expression);
}

TEST(Parser, BindsAsCDoes) {
  EXPECT_EQ(expression("a + b * c << d"), "(<< (+ a (* b c)) d)");
  EXPECT_EQ(expression("a || b ^^ c && d"), "(|| a (^^ b (&& c d)))");
  EXPECT_EQ(expression("a = b = c ? d : e"), "(= a (= b (?: c d e)))");
  EXPECT_EQ(expression("-a[1]->b"), "(- (->b ([] a 1)))");
  EXPECT_EQ(expression("a & b == c"), "(& a (== b c))");
  EXPECT_EQ(expression("a ? b : c ? d : e"), "(?: a b (?: c d e))");
  EXPECT_EQ(expression("*p++"), "(deref (++ p))");
  EXPECT_EQ(expression("a - b - c"), "(- (- a b) c)");
}

/// The binary operators, from those that bind tightest on.
const std::vector<std::vector<std::string>> kLevels = {
    {"*", "/", "%"}, {"+", "-"}, {"<<", ">>"}, {"<", "<=", ">", ">="}, {"==", "!="}, {"&"}, {"^"}, {"|"},
    {"&&"},          {"^^"},     {"||"}};

TEST(Parser, GroupsEachPairOfOperators) {
  for (size_t left = 0; left < kLevels.size(); ++left)
    for (size_t right = 0; right < kLevels.size(); ++right)
      for (const std::string& a : kLevels[left])
        for (const std::string& b : kLevels[right]) {
          const std::string first = "(" + b + " (" + a + " x y) z)", second = "(" + a + " x (" + b + " y z))";
          EXPECT_EQ(expression("x " + a + " y " + b + " z"), left <= right ? first : second);
        }
}

/// Each decision that ANTLR must predict builds tables anew in each run, which takes longer than all the rest of a parse.
TEST(Parser, PredictsNothingInClauses) {
  const std::string text =
      "BEGIN, syscall::read:entry /self->a && *b - 1 < -c || (d ^ e)[1] & 2/ { this->x = y ? f(1, z) : g()->h.i++; ; "
      "@a[execname, --j] = quantize(sizeof k, 3); l <<= m << n % !o; p(), q } END { trace(\"r\"); }";
  Diagnostics diagnostics;
  const ModalLexer::IsType none = [](std::string_view) { return false; };
  const std::vector<LexedToken> lexed = ModalLexer(text, false, none, diagnostics).all();
  LexedTokenSource source(lexed);
  antlr4::CommonTokenStream tokens(&source);
  antlr::DParser::makeTables();
  antlr::DParser parser(&tokens);
  ASSERT_NE(parser.program(), nullptr);
  EXPECT_EQ(parser.getNumberOfSyntaxErrors(), 0U);
  EXPECT_FALSE(parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->decisionToDFA.empty());
  for (const antlr4::dfa::DFA& decision : parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->decisionToDFA)
    EXPECT_TRUE(decision.states.empty()) << "decision " << decision.decision;
}

TEST(Parser, EndsTheLastStatementAtItsBrace) {
  for (const char* text : {"BEGIN { x = 1 }", "BEGIN { if (a) { b } }", "BEGIN { if (a) { b } else { c; d } }",
                           "BEGIN { ; x = 1; ; }", "BEGIN { }", "BEGIN { f(x) }"}) {
    Diagnostics diagnostics;
    parsed(text, diagnostics);
    EXPECT_FALSE(diagnostics.any()) << text;
  }
  for (const char* text : {"BEGIN { if (a) b }", "BEGIN { if (a) }", "BEGIN { x = }", "BEGIN { if (a) b; else c }"}) {
    Diagnostics diagnostics;
    parsed(text, diagnostics);
    ASSERT_EQ(diagnostics.list().size(), 1U) << text;
    EXPECT_EQ(diagnostics.list()[0].message, "syntax error near \"}\"") << text;
    EXPECT_EQ(diagnostics.list()[0].where.begin, std::string_view(text).find('}')) << text;
  }
}

TEST(Parser, TellsCastsFromParentheses) {
  EXPECT_EQ(expression("(foo_t) - 1"), "(cast (- 1))");
  EXPECT_EQ(expression("(foo) - 1"), "(- foo 1)");
  EXPECT_EQ(expression("(int)arg0 < 0"), "(< (cast arg0) 0)");
  EXPECT_EQ(expression("(struct s *)p"), "(cast p)");
}

TEST(Parser, TakesTheConditionOfIfForNoCast) {
  Diagnostics diagnostics;
  SyntaxTree tree = parsed("BEGIN { if (x) y = 1; }", diagnostics);
  ASSERT_FALSE(diagnostics.any()) << diagnostics.list()[0].message;
  const Statement& statement = std::get<ClauseAst>(tree.items.at(0)).statements.at(0);
  EXPECT_EQ(statement.kind, Statement::Kind::If);
  EXPECT_EQ(shape(*statement.expression), "x");
}

TEST(Parser, ReadsPointersToFunctions) {
  Diagnostics diagnostics;
  SyntaxTree tree = parsed("typedef int (*handler)(int, char *); handler h; BEGIN { x = (D`handler)0; }", diagnostics);
  ASSERT_FALSE(diagnostics.any()) << diagnostics.list()[0].message;
  ASSERT_EQ(tree.items.size(), 3u);
  EXPECT_EQ(std::get<DeclarationSyntax>(tree.items[0]).declarators[0].name, "handler");
}

TEST(Parser, TellsTheEndOfAPredicateFromADivision) {
  Diagnostics diagnostics;
  SyntaxTree tree = parsed("BEGIN /a / 2 == 1/ { x } END /b/\n{ } syscall:::entry { y }", diagnostics);
  ASSERT_FALSE(diagnostics.any());
  ASSERT_EQ(tree.items.size(), 3u);
  EXPECT_EQ(shape(*std::get<ClauseAst>(tree.items[0]).predicate), "(== (/ a 2) 1)");
  EXPECT_EQ(shape(*std::get<ClauseAst>(tree.items[1]).predicate), "b");
  EXPECT_TRUE(std::get<ClauseAst>(tree.items[1]).has_body);
  EXPECT_EQ(std::get<ClauseAst>(tree.items[2]).descriptions[0].provider, "syscall");
}

TEST(Parser, RefusesEachPredicateWithoutBodyInOneLine) {
  Diagnostics diagnostics;
  SyntaxTree tree = parsed("BEGIN /a/ END /b/ tick-5s /c/ BEGIN { } BEGIN /d / 2 / 3/ { }", diagnostics);
  ASSERT_EQ(diagnostics.list().size(), 3u);
  for (const Diagnostic& each : diagnostics.list()) {
    EXPECT_EQ(each.tag, "D_SYNTAX");
    EXPECT_EQ(each.message, "expected actions { } following probe description and predicate");
  }
  ASSERT_EQ(tree.items.size(), 5u);
  EXPECT_EQ(std::get<ClauseAst>(tree.items[2]).descriptions[0].name, "tick-5s");
  EXPECT_EQ(shape(*std::get<ClauseAst>(tree.items[4]).predicate), "(/ (/ d 2) 3)");
}

TEST(Parser, ReadsProviders) {
  Diagnostics diagnostics;
  SyntaxTree tree = parsed("provider p { probe a(); probe b(int, char *s) : (char *s); };", diagnostics);
  ASSERT_FALSE(diagnostics.any()) << diagnostics.list()[0].message;
  const auto& provider = std::get<ProviderSyntax>(tree.items.at(0));
  ASSERT_EQ(provider.probes.size(), 2u);
  EXPECT_TRUE(provider.probes[0].input->empty());
  EXPECT_FALSE(provider.probes[0].output);
  EXPECT_EQ(provider.probes[1].input->at(1).declarator.name, "s");
  EXPECT_EQ(provider.probes[1].output->size(), 1u);
}

TEST(Parser, ReadsDeclarationsAmongClauses) {
  Diagnostics diagnostics;
  SyntaxTree tree = parsed(
      "foo_t x; self int y; int a[int, string]; BEGIN { } typedef struct s { int a:3; } s_t; s_t z; inline int N = 3;",
      diagnostics);
  ASSERT_FALSE(diagnostics.any()) << diagnostics.list()[0].message;
  EXPECT_EQ(tree.items.size(), 7u);
  EXPECT_EQ(std::get<DeclarationSyntax>(tree.items[2]).declarators[0].derivations[0].kind, Derivation::Kind::Tuple);
}

TEST(Parser, FillsDescriptionsFromTheRight) {
  Diagnostics diagnostics;
  SyntaxTree tree = parsed("tick-$1s, a:b:c:d*[x-z], f:n { }", diagnostics);
  ASSERT_FALSE(diagnostics.any());
  const ClauseAst& clause = std::get<ClauseAst>(tree.items.at(0));
  EXPECT_EQ(to_string(clause.descriptions.at(0)), ":::tick-7s");
  EXPECT_EQ(to_string(clause.descriptions.at(1)), "a:b:c:d*[x-z]");
  EXPECT_EQ(to_string(clause.descriptions.at(2)), "::f:n");
}

/// The description of a clause that has only one; if it is invalid, the message.
std::string description(const std::string& text) {
  Diagnostics diagnostics;
  SyntaxTree tree = parsed(text + " { }", diagnostics);
  if (diagnostics.any()) return diagnostics.list()[0].message;
  const ProbeDescription& found = std::get<ClauseAst>(tree.items.at(0)).descriptions.at(0);
  return found.provider + " " + found.module + " " + found.function + " " + found.name;
}

TEST(Parser, JoinsTheNamesOfAFunctionInTheSource) {
  EXPECT_EQ(description("p:m:ns::Class::method*:entry"), "p m ns::Class::method* entry");
  EXPECT_EQ(description("p::app::fib:entry"), "p  app::fib entry");
  EXPECT_EQ(description("p::*fib*:entry"), "p  *fib* entry");
  EXPECT_EQ(description("p:/usr/lib/libm.so:app::fib(int):entry"), "p /usr/lib/libm.so app::fib(int) entry");
  EXPECT_EQ(description("p*:/usr/lib*/libm?so.[0-9]::"), "p* /usr/lib*/libm?so.[0-9]  ");
  EXPECT_EQ(description("p::app::fib:"), "p  app::fib ");
  EXPECT_EQ(description("p::f(std::string const&, int):entry"), "p  f(std::string const&, int) entry");
  EXPECT_EQ(description("p::std::map<int, char>::at:return"), "p  std::map<int, char>::at return");
  EXPECT_EQ(description("p:m:(anonymous namespace)::f:entry"), "p m (anonymous namespace)::f entry");
  EXPECT_EQ(description("p:m:f[abi:cxx11](int):entry"), "p m f[abi:cxx11](int) entry");
  EXPECT_EQ(description("p:m:S::~S:entry"), "p m S::~S entry");
  EXPECT_EQ(description("p:m:*Shape>::area:entry"), "p m *Shape>::area entry");
  EXPECT_EQ(description("p:m:a\\:b:entry"), "p m a\\:b entry");
  for (const char* name : {"()", "[]", "<", "<<", "<=>", "->", "->*", ",", "/", "/=", " bool", "=="}) {
    const std::string function = std::string("S::operator") + name;
    EXPECT_EQ(description("p:m:" + function + ":entry"), "p m " + function + " entry");
    EXPECT_EQ(description("p:m:" + function + "(S const&) const &:entry"),
              "p m " + function + "(S const&) const & entry");
  }
}

TEST(Parser, FieldsThatJoinToNoNameAreTooMany) {
  for (const char* text : {"a:b:c:d:e", "a:b::c:d", "p:app::fib:entry", "p:m:::f:entry", "p:m:a:::b:entry",
                           "p::a:::entry", "profile::::tick-1sec", "p:m:a::b:c:entry"})
    EXPECT_EQ(description(text),
              std::string("invalid probe description \"") + text + "\": Overspecified probe description");
}

TEST(Parser, SurvivesAnything) {
  for (const char* text :
       {"", "}", "{", "BEGIN {", "BEGIN /", "/", "BEGIN { \"", "BEGIN { '", "\xff\xfe", "BEGIN { @@ }", "int",
        "struct {", "BEGIN { $ }", "a:b:c:d:e {}", "BEGIN{((((((((", "inline", "BEGIN { 1 ? }"}) {
    Diagnostics diagnostics;
    parsed(text, diagnostics);
  }
}

TEST(Parser, RefusesWhatIsNestedTooDeeply) {
  auto repeat = [](const std::string& text, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += text;
    return out;
  };
  for (const std::string& text :
       {repeat("(", 100000), repeat("-", 100000) + "1", repeat("a = ", 100000) + "1", repeat("a ? b : ", 100000) + "1",
        repeat("1 + ", 100000) + "1", repeat("a[1]", 1) + repeat("[1]", 100000),
        repeat("if (1) 1; else ", 100000) + "1", repeat("if (1) { 1; } else ", 100000) + "1",
        repeat("if (1) { 1; if (2) 3; else ", 100000) + "1"}) {
    Diagnostics diagnostics;
    parsed("BEGIN { " + text + "; }", diagnostics);
    ASSERT_TRUE(diagnostics.any());
    EXPECT_EQ(diagnostics.list()[0].message, "nested too deeply");
  }
}

TEST(Literals, FollowC) {
  EXPECT_EQ(read_integer("0xffffffff").size, 4u);
  EXPECT_FALSE(read_integer("0xffffffff").is_signed);
  EXPECT_EQ(read_integer("2147483648").size, 8u);
  EXPECT_EQ(read_integer("017").value, 15u);
  EXPECT_EQ(read_integer("1ULL").size, 8u);
  EXPECT_EQ(read_integer("0128").error_tag, "D_INT_DIGIT");
  EXPECT_EQ(read_integer("18446744073709551616").error_tag, "D_INT_OFLOW");
  for (const char* wrong : {"12x", "1lul", "1uu", "1lll", "0x", "1ulu"})
    EXPECT_EQ(read_integer(wrong).error_tag, "D_SYNTAX") << wrong;
  EXPECT_EQ(read_escapes("a\\n\\101\\x41\\q\\'"), "a\nAA\\q\\'");
}

}  // namespace
}  // namespace sonde
