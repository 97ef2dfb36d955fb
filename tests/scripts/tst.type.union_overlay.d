/* @rows: type.union */
/* Members of a union share their bytes. */
union overlay { int word; char bytes[4]; short half; };
union overlay u;

BEGIN
{
	u.word = 0x44434241;
	printf("%c%c %d %d\n", u.bytes[0], u.bytes[3], sizeof (union overlay), u.half);
	exit(0);
}
