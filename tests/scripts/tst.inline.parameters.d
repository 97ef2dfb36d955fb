/* @rows: inline.parameters */
/* @sonde: -q */
/* inlines may have parameters */
inline int larger[int a, int b] = a > b ? a : b;
inline string quoted[string s] = strjoin("<", strjoin(s, ">"));

BEGIN
{
	printf("%d %d\n", larger[3, 9], larger[9, 3]);
	printf("%s\n", quoted["x"]);
	exit(0);
}
