/* @rows: warn.string */
/* @sonde: -q */
/* @stderr: tst.warn.sum_of_string.d:8:17: warning: + moves the beginning of a string: "abc" + 1 is "bc" */
/* @stderr: strings are joined by strjoin(a, b); lltostr(n) makes a string of a number */
/* A string constant plus a number. */
BEGIN
{
	printf("%s\n", "abc" + 1);
	exit(0);
}
