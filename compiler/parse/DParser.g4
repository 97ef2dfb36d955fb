// SPDX-License-Identifier: GPL-3.0-or-later
// The grammar of D.
//
// Nearly every decision is made by the next token alone: ANTLR makes a switch of it, where prediction would build its
// tables anew in each run. So the tokens are prepared (modal_lexer.cpp, parser.cpp): a name of a type is TYPE_NAME, the
// parenthesis before a type is TYPE_OPEN, and a } that ends a statement has a SEMICOLON before it. Binary operators are a
// flat list; the tree builder knows which bind tighter. A rule that would need prediction costs each start; declarations
// and `else` are the exceptions. The tables of prediction are made when the first decision needs them (parser.cpp).
parser grammar DParser;

@parser::members {
  /// Makes the tables of prediction, once.
  static void makeTables();
}

// Found by scanner.cpp; LPAREN to SHR_ASSIGN are what an expression nests by (ModalLexer::limit_depth).
tokens {
  AUTO, BREAK, CASE, CHAR, CONST, CONTINUE, COUNTER, DEFAULT, DO, DOUBLE, ELSE, ENUM, EXTERN, FLOAT, FOR, GOTO, IF, IMPORT,
  INLINE, INT, LONG, OFFSETOF, PROBE, PROVIDER, REGISTER, RESTRICT, RETURN, SELF, SHORT, SIGNED, SIZEOF, STATIC, STRING,
  STRINGOF, STRUCT, SWITCH, THIS, TRANSLATOR, TYPEDEF, UNION, UNSIGNED, VOID, VOLATILE, WHILE, XLATE,
  TYPE_NAME, TYPE_OPEN, PREDICATE_OPEN, PREDICATE_CLOSE,
  DESCRIPTION, IDENTIFIER, AGGREGATION, MACRO, FLOATING, INTEGER, CHARACTER, TEXT, OPEN_CHARACTER, OPEN_TEXT,
  LBRACE, RBRACE,
  LPAREN, RPAREN, LBRACKET, RBRACKET, SEMICOLON, COMMA, ELLIPSIS, DOT, ARROW, INCREMENT, DECREMENT, PLUS, MINUS, STAR, SLASH,
  PERCENT, AMPERSAND, PIPE, CARET, TILDE, NOT, SHIFT_LEFT, SHIFT_RIGHT, LESS, GREATER, LESS_EQUAL, GREATER_EQUAL, EQUAL,
  NOT_EQUAL, AND_AND, OR_OR, XOR_XOR, QUESTION, COLON, ASSIGN, ADD_ASSIGN, SUB_ASSIGN, MUL_ASSIGN, DIV_ASSIGN, MOD_ASSIGN,
  AND_ASSIGN, OR_ASSIGN, XOR_ASSIGN, SHL_ASSIGN, SHR_ASSIGN,
  OTHER
}

program : item* EOF ;

item : clause | declaration | inlineDefinition | translator | providerDefinition | SEMICOLON ;

clause : descriptions predicate? body? ;
descriptions : DESCRIPTION (COMMA DESCRIPTION)* ;
predicate : PREDICATE_OPEN comma PREDICATE_CLOSE ;
body : LBRACE statement* RBRACE ;

statement : SEMICOLON | conditionalStatement | comma SEMICOLON ;
conditionalStatement : IF LPAREN comma RPAREN yes=arm (ELSE no=arm)? ;
arm : conditionalStatement | body | comma? SEMICOLON ;

comma : expression (COMMA expression)* ;

expression
  : operation ( QUESTION yes=comma COLON no=expression
              | op=( ASSIGN | ADD_ASSIGN | SUB_ASSIGN | MUL_ASSIGN | DIV_ASSIGN | MOD_ASSIGN | AND_ASSIGN | OR_ASSIGN
                   | XOR_ASSIGN | SHL_ASSIGN | SHR_ASSIGN ) right=expression )?
  ;

operation
  : operand ( ops+=( STAR | SLASH | PERCENT | PLUS | MINUS | SHIFT_LEFT | SHIFT_RIGHT | LESS | LESS_EQUAL | GREATER
                   | GREATER_EQUAL | EQUAL | NOT_EQUAL | AMPERSAND | CARET | PIPE | AND_AND | XOR_XOR | OR_OR ) operand )*
  ;

operand : TYPE_OPEN typeName RPAREN operand | plain ;

plain
  : prefix=( INCREMENT | DECREMENT | PLUS | MINUS | TILDE | NOT | STAR | AMPERSAND | STRINGOF ) operand
  | SIZEOF ( TYPE_OPEN typeName RPAREN | plain )
  | primary postfix*
  ;

postfix
  : LBRACKET arguments RBRACKET
  | LPAREN arguments? RPAREN
  | access=( DOT | ARROW ) member
  | step=( INCREMENT | DECREMENT )
  ;

primary
  : IDENTIFIER | SELF | THIS | INTEGER | FLOATING | CHARACTER | TEXT | MACRO | AGGREGATION
  | LPAREN comma RPAREN
  | OFFSETOF ( LPAREN | TYPE_OPEN ) typeName COMMA member RPAREN
  | XLATE LESS typeName GREATER LPAREN comma RPAREN
  ;

arguments : expression (COMMA expression)* ;

member
  : IDENTIFIER | TYPE_NAME | MACRO
  | COUNTER | PROBE | PROVIDER | SELF | THIS | STRING | INLINE | IMPORT | TRANSLATOR
  ;

declaration : specifiers (declarator (COMMA declarator)*)? SEMICOLON ;
inlineDefinition : INLINE specifiers declarator ASSIGN expression SEMICOLON ;
translator : TRANSLATOR output=typeName LESS specifiers declarator GREATER LBRACE conversion* RBRACE SEMICOLON ;
conversion : member ASSIGN expression SEMICOLON ;
providerDefinition : PROVIDER name=( IDENTIFIER | TYPE_NAME ) LBRACE probe* RBRACE SEMICOLON ;
probe : PROBE name=( IDENTIFIER | TYPE_NAME ) LPAREN input=parameters? RPAREN
        ( translated=COLON ( LPAREN | TYPE_OPEN ) output=parameters? RPAREN )? SEMICOLON ;

specifiers : specifier+ ;
specifier
  : storage=( AUTO | REGISTER | STATIC | EXTERN | TYPEDEF | SELF | THIS )
  | qualifier=( CONST | VOLATILE | RESTRICT )
  | simple=( VOID | CHAR | SHORT | INT | LONG | FLOAT | DOUBLE | SIGNED | UNSIGNED | STRING )
  | TYPE_NAME
  | record
  | enumeration
  ;

record : kind=( STRUCT | UNION ) tag=( IDENTIFIER | TYPE_NAME )? (open=LBRACE fields* RBRACE)? ;
fields : specifiers (field (COMMA field)*)? SEMICOLON ;
field : declarator (COLON expression)? | COLON expression ;
enumeration : ENUM tag=( IDENTIFIER | TYPE_NAME )? (open=LBRACE enumerator (COMMA enumerator)* COMMA? RBRACE)? ;
enumerator : IDENTIFIER (ASSIGN expression)? ;

declarator : STAR qualifiers declarator | ( IDENTIFIER | LPAREN declarator RPAREN ) suffix* ;
qualifiers : ( CONST | VOLATILE | RESTRICT )* ;
suffix : LBRACKET ( parameters | expression )? RBRACKET | open=( LPAREN | TYPE_OPEN ) parameters? RPAREN ;
parameters : parameter (COMMA parameter)* ;
parameter : ELLIPSIS | specifiers ( declarator | abstractDeclarator )? ;
typeName : specifiers abstractDeclarator? ;
abstractDeclarator : STAR qualifiers abstractDeclarator? | ( LPAREN STAR RPAREN )? suffix+ ;
