/* @rows: out.row act.printf act.trace */
/* @sonde: */
/* @cpu: 0 */
/* records of a clause follow each other in one row; a newline of one's own does not end it */
BEGIN { trace(1); printf("two\n"); trace("three"); printf("%d", 4); exit(0); }
