/* @rows: prog.empty_statements */
/* The last statement of a body, also of an if. */
BEGIN { if (1) { trace(1) } if (0) { ; } else { trace(2) } ;; exit(0) }
