/* @rows: type.self_reference type.incomplete */
/* struct cell points to its kind; a struct that is never defined may be pointed to. */
struct cell { int n; struct cell *next; };
struct nowhere;
struct nowhere *never;
struct cell first;
BEGIN { first.n = 3; printf("%d %d %d\n", first.n, first.next == NULL, never == NULL); printf("%d\n", sizeof (struct cell)); exit(0); }
