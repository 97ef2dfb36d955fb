/* @rows: prog.clause prog.no_body */
/* An empty body is the default action: nothing when quiet. */
BEGIN {}
BEGIN { ; }
BEGIN { trace("x"); exit(0); };
;
