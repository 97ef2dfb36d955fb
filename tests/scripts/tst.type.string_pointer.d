/* @rows: type.string type.pointer */
/* A string behind a pointer. */
BEGIN
{
	p = (string *)alloca(2 * sizeof (string));
	*p = "first"; p[1] = strjoin(*p, "!");
	printf("%s %s %d\n", p[0], *(p + 1), strlen(p[1]));
	exit(0);
}
