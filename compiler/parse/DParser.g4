// SPDX-License-Identifier: GPL-3.0-or-later
// The grammar of D.
//
// Every decision is made by looking one or two tokens ahead, so that SLL prediction always succeeds on a right text. Two things make that
// possible: a name of a type is TYPE_NAME (parser.cpp decides which identifiers are), and what the grammar lets pass
// although D does not (two statements without a semicolon between) is refused by the tree builder.
parser grammar DParser;

options { tokenVocab = DLexer; }

program : item* EOF ;

item : clause | declaration | inlineDefinition | translator | providerDefinition | SEMICOLON ;

clause : descriptions predicate? body? ;
descriptions : DESCRIPTION (COMMA DESCRIPTION)* ;
predicate : PREDICATE_OPEN comma PREDICATE_CLOSE ;
body : LBRACE statement* RBRACE ;

statement : SEMICOLON | conditionalStatement | comma ;
conditionalStatement : IF LPAREN comma RPAREN yes=arm (ELSE no=arm)? ;
arm : conditionalStatement | body | comma? SEMICOLON ;

comma : expression (COMMA expression)* ;

expression
  : operation ( QUESTION yes=comma COLON no=expression
              | op=( ASSIGN | ADD_ASSIGN | SUB_ASSIGN | MUL_ASSIGN | DIV_ASSIGN | MOD_ASSIGN | AND_ASSIGN | OR_ASSIGN
                   | XOR_ASSIGN | SHL_ASSIGN | SHR_ASSIGN ) right=expression )?
  ;

operation
  : primary
  | base=operation LBRACKET arguments RBRACKET
  | base=operation LPAREN arguments? RPAREN
  | base=operation access=( DOT | ARROW ) member
  | base=operation postfix=( INCREMENT | DECREMENT )
  | prefix=( INCREMENT | DECREMENT | PLUS | MINUS | TILDE | NOT | STAR | AMPERSAND | STRINGOF ) operand=operation
  | SIZEOF operand=operation
  | LPAREN typeName RPAREN operand=operation
  | left=operation op=( STAR | SLASH | PERCENT ) right=operation
  | left=operation op=( PLUS | MINUS ) right=operation
  | left=operation op=( SHIFT_LEFT | SHIFT_RIGHT ) right=operation
  | left=operation op=( LESS | LESS_EQUAL | GREATER | GREATER_EQUAL ) right=operation
  | left=operation op=( EQUAL | NOT_EQUAL ) right=operation
  | left=operation op=AMPERSAND right=operation
  | left=operation op=CARET right=operation
  | left=operation op=PIPE right=operation
  | left=operation op=AND_AND right=operation
  | left=operation op=XOR_XOR right=operation
  | left=operation op=OR_OR right=operation
  ;

primary
  : IDENTIFIER | SELF | THIS | INTEGER | FLOATING | CHARACTER | TEXT | MACRO | AGGREGATION
  | LPAREN comma RPAREN
  | SIZEOF LPAREN typeName RPAREN
  | OFFSETOF LPAREN typeName COMMA member RPAREN
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
        ( translated=COLON LPAREN output=parameters? RPAREN )? SEMICOLON ;

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
suffix : LBRACKET ( parameters | expression )? RBRACKET | LPAREN parameters? RPAREN ;
parameters : parameter (COMMA parameter)* ;
parameter : ELLIPSIS | specifiers ( declarator | abstractDeclarator )? ;
typeName : specifiers abstractDeclarator? ;
abstractDeclarator : STAR qualifiers abstractDeclarator? | ( LPAREN STAR RPAREN )? suffix+ ;
