/* @rows: prog.clause prog.order */
/* @sonde: -q */
/* predicates choose */
int y;

BEGIN { x = 2; }
BEGIN /x == 1/ { printf("one\n"); }
BEGIN /x == 2/ { printf("two\n"); x = 3; }
BEGIN /x == 3 && !y/ { printf("three\n"); y = 1; }
BEGIN /x > 5 || y/ { printf("four\n"); }
BEGIN /"text" == "text"/ { printf("five\n"); exit(0); }
