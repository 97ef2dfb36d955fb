/* @rows: prog.glob_escape */
/* A backslash takes a character as it is. */
dtrace:::\BEGIN
{
	trace(probename);
	exit(0);
}
