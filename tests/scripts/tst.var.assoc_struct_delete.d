/* @rows: var.assoc */
/* Elements are apart from each other. */
struct pair { int a; int b; };
struct pair s[int, int];

BEGIN
{
	s[1, 2].a = 5;
	printf("%d %d %d\n", s[1, 2].a, s[2, 1].a, s[1, 3].b);
	exit(0);
}
