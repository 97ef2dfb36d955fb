/* @rows: inline.parameters */
/* Strings as parameters and values. */
inline string greet[string who] = strjoin("hello ", who);
inline string pick[int n] = n ? "a" : "b";

BEGIN
{
	printf("%s %s\n", greet["world"], pick[0]);
	exit(0);
}
