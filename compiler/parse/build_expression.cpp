// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions of the parse tree
//
// Until the checker has given it a type, an Integer has its type in `text`: "i" or "l", with "u" before it if unsigned.
//
// A macro is replaced here, and what $1 becomes depends on what its value looks like: a number, a string in quotes, or
// a name; anything else, such as a path, is a string. $$1 is always a string.
#include <algorithm>
#include <cctype>

#include "compiler/parse/literals.h"
#include "compiler/parse/tree_builder.h"

namespace sonde {
namespace {

using P = antlr::DParser;

Op binary_op(size_t token) {
  switch (token) {
    case P::PLUS:
    case P::ADD_ASSIGN: return Op::Add;
    case P::MINUS:
    case P::SUB_ASSIGN: return Op::Sub;
    case P::STAR:
    case P::MUL_ASSIGN: return Op::Mul;
    case P::SLASH:
    case P::DIV_ASSIGN: return Op::Div;
    case P::PERCENT:
    case P::MOD_ASSIGN: return Op::Mod;
    case P::AMPERSAND:
    case P::AND_ASSIGN: return Op::And;
    case P::PIPE:
    case P::OR_ASSIGN: return Op::Or;
    case P::CARET:
    case P::XOR_ASSIGN: return Op::Xor;
    case P::SHIFT_LEFT:
    case P::SHL_ASSIGN: return Op::Shl;
    case P::SHIFT_RIGHT:
    case P::SHR_ASSIGN: return Op::Shr;
    case P::EQUAL: return Op::Eq;
    case P::NOT_EQUAL: return Op::Ne;
    case P::LESS: return Op::Lt;
    case P::LESS_EQUAL: return Op::Le;
    case P::GREATER: return Op::Gt;
    case P::GREATER_EQUAL: return Op::Ge;
    case P::AND_AND: return Op::LogAnd;
    case P::OR_OR: return Op::LogOr;
    case P::XOR_XOR: return Op::LogXor;
    default: return Op::None;
  }
}

/// The operators of a higher one bind tighter.
int binding(const antlr4::Token* token) {
  switch (token->getType()) {
    case P::STAR:
    case P::SLASH:
    case P::PERCENT: return 10;
    case P::PLUS:
    case P::MINUS: return 9;
    case P::SHIFT_LEFT:
    case P::SHIFT_RIGHT: return 8;
    case P::LESS:
    case P::LESS_EQUAL:
    case P::GREATER:
    case P::GREATER_EQUAL: return 7;
    case P::EQUAL:
    case P::NOT_EQUAL: return 6;
    case P::AMPERSAND: return 5;
    case P::CARET: return 4;
    case P::PIPE: return 3;
    case P::AND_AND: return 2;
    case P::XOR_XOR: return 1;
    default: return 0;  // OR_OR
  }
}

/// Operands and operators that belong together, and where they stand with their parentheses.
struct Grouped {
  ExprPtr expr;
  SourceRange where;
};

bool looks_like_number(std::string_view text) {
  size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
}

}  // namespace

ExprPtr TreeBuilder::comma(P::CommaContext* context) {
  std::vector<P::ExpressionContext*> list = context->expression();
  if (list.size() == 1) return expression(list[0]);
  ExprPtr out = node(ExprKind::Comma, range(context));
  for (P::ExpressionContext* one : list) out->kids.push_back(expression(one));
  return out;
}

ExprPtr TreeBuilder::expression(P::ExpressionContext* context) {
  ExprPtr left = operation(context->operation());
  if (context->yes) {
    ExprPtr out = node(ExprKind::Conditional, range(context));
    out->kids.push_back(std::move(left));
    out->kids.push_back(comma(context->yes));
    out->kids.push_back(expression(context->no));
    return out;
  }
  if (!context->op) return left;
  size_t type = context->op->getType();
  ExprPtr out = node(type == P::ASSIGN ? ExprKind::Assign : ExprKind::Update, range(context));
  out->op = binary_op(type);
  out->text = spelling(context->op);
  out->kids.push_back(std::move(left));
  out->kids.push_back(expression(context->right));
  return out;
}

ExprPtr TreeBuilder::operation(P::OperationContext* context) {
  const std::vector<P::OperandContext*> operands = context->operand();
  std::vector<Grouped> groups;
  std::vector<antlr4::Token*> operators;
  const auto group = [&] {
    const Op op = binary_op(operators.back()->getType());
    const bool logical = op == Op::LogAnd || op == Op::LogOr || op == Op::LogXor;
    Grouped right = std::move(groups.back());
    groups.pop_back();
    Grouped& left = groups.back();
    left.where.end = right.where.end;
    ExprPtr out = node(logical ? ExprKind::Logical : ExprKind::Binary, left.where);
    out->op = op;
    out->text = spelling(operators.back());
    out->kids.push_back(std::move(left.expr));
    out->kids.push_back(std::move(right.expr));
    left.expr = std::move(out);
    operators.pop_back();
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) {
      antlr4::Token* next = context->ops[i - 1];
      while (!operators.empty() && binding(operators.back()) >= binding(next)) group();
      operators.push_back(next);
    }
    groups.push_back({operand(operands[i]), range(operands[i])});
  }
  while (!operators.empty()) group();
  return std::move(groups.front().expr);
}

ExprPtr TreeBuilder::operand(P::OperandContext* context) {
  if (context->plain()) return plain(context->plain());
  ExprPtr out = node(ExprKind::Cast, range(context));
  out->type_name = type_name(context->typeName());
  out->kids.push_back(operand(context->operand()));
  return out;
}

ExprPtr TreeBuilder::plain(P::PlainContext* context) {
  if (context->prefix) return prefix(context);
  if (context->SIZEOF()) {
    const bool of_type = context->typeName() != nullptr;
    ExprPtr out = node(of_type ? ExprKind::SizeofType : ExprKind::SizeofExpr, range(context));
    if (of_type)
      out->type_name = type_name(context->typeName());
    else
      out->kids.push_back(plain(context->plain()));
    return out;
  }
  ExprPtr out = primary(context->primary());
  const uint32_t begin = range(context).begin;
  for (P::PostfixContext* one : context->postfix()) out = postfix(std::move(out), one, {begin, range(one).end});
  return out;
}

ExprPtr TreeBuilder::postfix(ExprPtr base, P::PostfixContext* context, SourceRange where) {
  ExprPtr out;
  if (context->access) {
    out = node(ExprKind::Member, where);
    out->arrow = context->access->getType() == P::ARROW;
    out->text = member(context->member());
  } else if (context->step) {
    out = node(ExprKind::Update, where);
    out->op = context->step->getType() == P::INCREMENT ? Op::Add : Op::Sub;
    out->text = spelling(context->step);
    out->postfix = true;
  } else {
    out = node(context->LBRACKET() ? ExprKind::Index : ExprKind::Call, where);
    if (out->kind == ExprKind::Call && base->kind != ExprKind::Name)
      diagnostics_.report("D_FUNC_IDENT", out->where, "function designator is not of function type");
  }
  out->kids.push_back(std::move(base));
  if (context->arguments()) arguments(context->arguments(), *out);
  return out;
}

ExprPtr TreeBuilder::prefix(P::PlainContext* context) {
  ExprPtr out = node(ExprKind::Unary, range(context));
  out->text = spelling(context->prefix);
  switch (context->prefix->getType()) {
    case P::INCREMENT:
      out->kind = ExprKind::Update;
      out->op = Op::Add;
      break;
    case P::DECREMENT:
      out->kind = ExprKind::Update;
      out->op = Op::Sub;
      break;
    case P::PLUS: out->op = Op::Plus; break;
    case P::MINUS: out->op = Op::Neg; break;
    case P::TILDE: out->op = Op::Not; break;
    case P::NOT: out->op = Op::LogNot; break;
    case P::STAR: out->kind = ExprKind::Deref; break;
    case P::AMPERSAND: out->kind = ExprKind::AddressOf; break;
    default: out->kind = ExprKind::Stringof; break;
  }
  out->kids.push_back(operand(context->operand()));
  return out;
}

ExprPtr TreeBuilder::primary(P::PrimaryContext* context) {
  SourceRange where = range(context);
  if (context->XLATE()) {
    ExprPtr out = node(ExprKind::Xlate, where);
    out->type_name = type_name(context->typeName());
    out->kids.push_back(comma(context->comma()));
    return out;
  }
  if (context->comma()) {
    ExprPtr inner = comma(context->comma());
    return inner;
  }
  if (context->OFFSETOF()) {
    ExprPtr out = node(ExprKind::Offsetof, where);
    out->type_name = type_name(context->typeName());
    out->text = member(context->member());
    return out;
  }
  return constant(context);
}

ExprPtr TreeBuilder::constant(P::PrimaryContext* context) {
  SourceRange where = range(context);
  if (context->INTEGER()) return integer(context->INTEGER(), spelling(context->INTEGER()));
  if (context->CHARACTER()) return character(context->CHARACTER());
  if (context->MACRO()) return macro(context->MACRO());
  if (context->FLOATING()) return node(ExprKind::Integer, where);  // the lexer has reported it
  std::string written = spelling(context->getStart());
  ExprPtr out = node(context->TEXT() ? ExprKind::String : ExprKind::Name, where);
  out->text = context->TEXT() ? read_escapes(std::string_view(written).substr(1, written.size() - 2)) : written;
  if (context->TEXT()) out->text.resize(std::min(out->text.size(), out->text.find('\0')));  // \0 ends a string
  return out;
}

ExprPtr TreeBuilder::integer(antlr4::tree::TerminalNode* terminal, std::string_view spelling) {
  SourceRange where = range(terminal->getSymbol());
  IntegerLiteral literal = read_integer(spelling);
  if (!literal.error.empty()) diagnostics_.report(literal.error_tag, where, literal.error);
  ExprPtr out = node(ExprKind::Integer, where);
  out->integer = literal.value;
  out->text =
      std::string(literal.is_signed ? "" : "u") + (literal.size == 8 ? "l" : "i");  // the checker makes the type of it
  return out;
}

ExprPtr TreeBuilder::character(antlr4::tree::TerminalNode* terminal) {
  SourceRange where = range(terminal->getSymbol());
  std::string written = spelling(terminal);
  std::string bytes = read_escapes(std::string_view(written).substr(1, written.size() - 2));
  if (bytes.empty()) diagnostics_.report("D_CHR_NULL", where, "empty character constant");
  if (bytes.size() > 8) diagnostics_.report("D_CHR_OFLOW", where, "character constant is too long");
  ExprPtr out = node(ExprKind::Integer, where);
  for (char c : bytes) out->integer = out->integer << 8 | static_cast<unsigned char>(c);
  if (bytes.size() == 1) out->integer = static_cast<uint64_t>(static_cast<int64_t>(static_cast<signed char>(bytes[0])));
  out->text = bytes.size() > 1 && out->integer > INT32_MAX ? "l" : "i";  // as if it were written in decimal
  return out;
}

std::optional<std::string> TreeBuilder::macro_value(std::string_view token, SourceRange where) {
  std::string_view name = token.substr(token.starts_with("$$") ? 2 : 1);
  if (name.empty()) {
    diagnostics_.report("D_SYNTAX", where, "syntax error near \"" + std::string(token) + "\"",
                        "a macro variable has a name, such as $target, or a number");
    return "";
  }
  std::optional<std::string> value = questions_.macro(name);
  if (!value) {
    bool argument = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0]));
    diagnostics_.report(
        "D_MACRO_UNDEF", where,
        (argument ? "macro argument " : "macro variable ") + std::string(token) + " is not defined",
        argument ? "words behind the script are its arguments: sonde -n 'CLAUSES' WORD, sonde -s FILE WORD; with -x "
                   "defaultargs one that is missing is 0, or \"\""
                 : "$ stands before macros, such as $target; a variable of the clause is this->" + std::string(name));
  }
  return value;
}

ExprPtr TreeBuilder::macro(antlr4::tree::TerminalNode* terminal) {
  SourceRange where = range(terminal->getSymbol());
  std::string token = spelling(terminal);
  std::optional<std::string> value = macro_value(token, where);
  ExprPtr out = node(ExprKind::Integer, where);
  out->text = "i";
  if (!value) return out;
  if (token.starts_with("$$")) {
    out->kind = ExprKind::String;
    out->text = *value;
  } else if (value->empty()) {  // $1 under -x defaultargs
    return out;
  } else if (looks_like_number(*value)) {
    bool negative = value->front() == '-';
    IntegerLiteral literal = read_integer(std::string_view(*value).substr(negative || value->front() == '+'));
    if (!literal.error.empty())
      diagnostics_.report(literal.error_tag == "D_INT_OFLOW" ? "D_MACRO_OFLOW" : literal.error_tag, where,
                          (literal.error_tag == "D_INT_OFLOW" ? "macro argument " + token + " " : "") + literal.error);
    out->integer = negative ? 0 - literal.value : literal.value;
    out->text = std::string(literal.is_signed ? "" : "u") + (literal.size == 8 ? "l" : "i");
  } else if (value->size() > 1 && value->front() == '"' && value->back() == '"') {
    out->kind = ExprKind::String;
    out->text = read_escapes(std::string_view(*value).substr(1, value->size() - 2));
  } else {
    out->kind = is_identifier(*value) ? ExprKind::Name : ExprKind::String;
    out->text = *value;
  }
  return out;
}

void TreeBuilder::arguments(P::ArgumentsContext* context, Expr& into) {
  for (P::ExpressionContext* one : context->expression()) into.kids.push_back(expression(one));
}

std::string TreeBuilder::member(P::MemberContext* context) {
  std::string written = spelling(context->getStart());
  if (!context->MACRO()) return written;
  return macro_value(written, range(context)).value_or("");
}

}  // namespace sonde
