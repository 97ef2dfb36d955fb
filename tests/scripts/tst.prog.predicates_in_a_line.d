/* @rows: prog.predicate_only prog.clause */
/* Clauses without a body may follow each other in one line. */
BEGIN { x = 1; } BEGIN /x == 2/ BEGIN /x == 3/ { trace("no"); } BEGIN /x == 1/ { trace("yes"); exit(0); }
