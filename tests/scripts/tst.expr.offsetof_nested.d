/* @rows: expr.offsetof */
/* Where a member stands. */
struct s { char a; int b; string c; };

BEGIN
{
	printf("%d %d %d\n", offsetof (struct s, a), offsetof (struct s, b), offsetof (struct s, c));
	exit(0);
}
