/* @rows: type.typedef type.pointer */
/* A pointer to a function has the size of a pointer. */
typedef int (*handler)(int, char *);
struct ops { handler open; int (*close)(int); };

BEGIN
{
	printf("%d %d\n", sizeof (handler), sizeof (struct ops));
	exit(0);
}
