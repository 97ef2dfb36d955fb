/* @rows: act.trace */
/* A value is recorded as it is when the action runs: what is assigned later in the clause does not show. */
string s;
char a[4];

BEGIN
{
	s = "one";
	printf("%s ", s);
	trace(s);
	s = "second";
	printf(" %s ", s);
	a[0] = 'x';
	a[1] = 'y';
	printf("%s ", stringof(a));
	a[0] = 'z';
	printf("%s\n", stringof(a));
	exit(0);
}
