/* @arguments: 0x11112222333344445 */
BEGIN { $1; }
/* @rows: lex.macro_overflow */
