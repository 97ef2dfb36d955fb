tick-$1 { }
/* @rows: prog.macro_undefined */
