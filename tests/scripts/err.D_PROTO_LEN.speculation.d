BEGIN { x = speculation(1); }
/* @rows: fun.speculation */
