/* @rows: decl.prototype_of_builtin */
/* A prototype may bear the name of what is built in, and changes nothing about that. */

int func(int);
int strlen(string);
int pid(int);

BEGIN
{
	trace(strlen("four"));
	trace(pid == $pid);
	exit(0);
}
