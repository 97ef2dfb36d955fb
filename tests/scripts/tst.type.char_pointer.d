/* @rows: type.char_pointer */
/* char * and char [] where a string is wanted. */
char c[8];

BEGIN
{
	c[0] = 104; c[1] = 105;
	p = (char *)alloca(4); p[0] = 111; p[1] = 107;
	printf("%d %s %s %s\n", strlen(c), strjoin(c, "!"), stringof(p), c);
	exit(0);
}
