/* @rows: fun.index_empty */
/* An empty text is found wherever the search may begin. */

BEGIN { printf("%d %d %d\n", index("abc", "", 9), rindex("abc", "", -4), index("abc", "c", 9)); exit(0); }
