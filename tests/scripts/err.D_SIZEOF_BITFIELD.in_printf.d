struct nib { int lo : 4; } n;
BEGIN { printf("%n", sizeof (n.lo)); }
/* @rows: fmt.arguments_first */
