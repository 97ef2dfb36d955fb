/* @rows: var.assoc var.struct_assign */
/* Structs as values: members are read and stored one by one. */
struct pair { int a; int b; };
struct pair s[int];

BEGIN
{
	s[1].a = 5; s[1].b = 6; s[2].b = 7;
	s[1].a += 10; s[2].b++;
	t = s[1]; s[1].a = 0;
	printf("%d %d %d %d\n", t.a, s[1].a, s[1].b, s[2].b);
	s[3] = t;
	printf("%d %d %d\n", s[3].a, s[3].b, s[4].a);
	exit(0);
}
