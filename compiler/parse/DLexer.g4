// SPDX-License-Identifier: GPL-3.0-or-later
// The tokens of D.
//
// D is lexed in two ways. Outside of braces, predicates and declarations a text is made of probe descriptions (the
// default mode); inside them it looks like C (mode Code). Which of the two comes next depends on what is open and on what
// follows, so the switch is made by ModalLexer (modal_lexer.cpp), and this grammar is free of actions.
// Comments and control lines are blanked before (compiler/source/prepare.h). Keywords are IDENTIFIER
// here and told apart by a table: a lexer without them starts faster.
lexer grammar DLexer;

tokens {
  AUTO, BREAK, CASE, CHAR, CONST, CONTINUE, COUNTER, DEFAULT, DO, DOUBLE, ELSE, ENUM, EXTERN, FLOAT, FOR, GOTO, IF, IMPORT,
  INLINE, INT, LONG, OFFSETOF, PROBE, PROVIDER, REGISTER, RESTRICT, RETURN, SELF, SHORT, SIGNED, SIZEOF, STATIC, STRING,
  STRINGOF, STRUCT, SWITCH, THIS, TRANSLATOR, TYPEDEF, UNION, UNSIGNED, VOID, VOLATILE, WHILE, XLATE,
  TYPE_NAME, TYPE_OPEN, PREDICATE_OPEN, PREDICATE_CLOSE
}

// A function's name in C++ or Rust has more signs. They count behind a colon, and in pairs of brackets, where blanks and commas do, too;
// any sign behind a backslash.
// A run of digits in front is a probe's id.
ID : [0-9]+ -> type(DESCRIPTION) ;
PATHED : ( FIELD | ESCAPED )+ ':' PATH ':' ( LETTER | ESCAPED | QUOTED )* ':' ( LETTER | ESCAPED | QUOTED )* -> type(DESCRIPTION) ;
DESCRIPTION : ( FIRST | ESCAPED ) ( LETTER | ESCAPED )* ( ':' ( LETTER | ESCAPED | QUOTED )* )? ;
// A path in the module field: after the first colon, and with two more behind it, so that it is no predicate.
fragment PATH : '/' ( ~[*/: \t\r\n{};,"\\] | ESCAPED ) ( ~[: \t\r\n{};,"\\] | ESCAPED )* ;
fragment FIELD : [A-Za-z0-9\-$_.?*[\]!`] ;
fragment QUOTED : ANGLES | ROUNDS QUALIFIERS? | [~'#<>] | OPERATOR ;
fragment FIRST : [A-Za-z\-$:_.?*[\]!`] ;
fragment LETTER : [A-Za-z0-9\-$:_.?*[\]!`] ;
fragment ESCAPED : '\\' ~[\n] | '\\' ;
fragment ANGLES : '<' ( ~[<>(){};"\n] | ANGLES | ROUNDS )* '>' ;
fragment ROUNDS : '(' ( ~[<>(){};"\n] | ANGLES | ROUNDS )* ')' ;
fragment QUALIFIERS : ' const' ( ' &' '&'? )? | ' &' '&'? ;
// operator() and operator[] are made of brackets; operator/ is one only where a probe's name or parameters follow.
fragment OPERATOR : 'operator' ( [<>=+\-*%&|^~!,]+ | '/' '='? ( ':' | ROUNDS QUALIFIERS? ) | ' ' [A-Za-z_] ) ;
TOP_BLANK : [ \t\r\n\f\u000B]+ -> skip ;
TOP_COMMA : ',' -> type(COMMA) ;
TOP_SLASH : '/' -> type(PREDICATE_OPEN) ;
TOP_BRACE : '{' -> type(LBRACE) ;
TOP_SEMICOLON : ';' -> type(SEMICOLON) ;
TOP_OTHER : . -> type(OTHER) ;

mode Code;

BLANK : [ \t\r\n\f\u000B]+ -> skip ;
// A scope may be the name of a file: a.out`main, libc.so.6`malloc.
IDENTIFIER : ( [A-Za-z_] [A-Za-z0-9_.+]* '`' )* [A-Za-z_`] [A-Za-z0-9_`]* ;
AGGREGATION : '@' ([A-Za-z_] [A-Za-z0-9_]*)? ;
MACRO : '$' '$'? [A-Za-z0-9_]* ;
FLOATING : [0-9]+ '.' [0-9]* ([eE] [+\-]? [0-9]+)? [fFlL]? | '.' [0-9]+ ([eE] [+\-]? [0-9]+)? [fFlL]? ;
INTEGER : [0-9] [A-Za-z0-9_]* ;
CHARACTER : '\'' (~['\n\\] | '\\' ~[\n])* '\'' ;
TEXT : '"' (~["\n\\] | '\\' ~[\n])* '"' ;
OPEN_CHARACTER : '\'' (~['\n\\] | '\\' ~[\n])* '\\'? ;
OPEN_TEXT : '"' (~["\n\\] | '\\' ~[\n])* '\\'? ;

LBRACE : '{' ;
RBRACE : '}' ;
LPAREN : '(' ;
RPAREN : ')' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
SEMICOLON : ';' ;
COMMA : ',' ;
ELLIPSIS : '...' ;
DOT : '.' ;
ARROW : '->' ;
INCREMENT : '++' ;
DECREMENT : '--' ;
PLUS : '+' ;
MINUS : '-' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
AMPERSAND : '&' ;
PIPE : '|' ;
CARET : '^' ;
TILDE : '~' ;
NOT : '!' ;
SHIFT_LEFT : '<<' ;
SHIFT_RIGHT : '>>' ;
LESS : '<' ;
GREATER : '>' ;
LESS_EQUAL : '<=' ;
GREATER_EQUAL : '>=' ;
EQUAL : '==' ;
NOT_EQUAL : '!=' ;
AND_AND : '&&' ;
OR_OR : '||' ;
XOR_XOR : '^^' ;
QUESTION : '?' ;
COLON : ':' ;
ASSIGN : '=' ;
ADD_ASSIGN : '+=' ;
SUB_ASSIGN : '-=' ;
MUL_ASSIGN : '*=' ;
DIV_ASSIGN : '/=' ;
MOD_ASSIGN : '%=' ;
AND_ASSIGN : '&=' ;
OR_ASSIGN : '|=' ;
XOR_ASSIGN : '^=' ;
SHL_ASSIGN : '<<=' ;
SHR_ASSIGN : '>>=' ;
OTHER : . ;
