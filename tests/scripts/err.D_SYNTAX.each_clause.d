/* an error in a clause does not hide those of the clauses behind it */
BEGIN { first = 1 }
BEGIN { second = (1 + ; }
int third fourth;
BEGIN { fifth = 2 printf("a"); }
BEGIN /sixth == 1 { trace(1); }
BEGIN { trace(7)); }
struct eighth { int ninth };
END { if tenth { } }
}
END { eleventh( }
BEGIN { exit(0); }
/* @rows: diag.several diag.caret */
