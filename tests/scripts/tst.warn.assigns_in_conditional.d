/* @rows: warn.assignment */
/* @sonde: -q */
/* @stderr: tst.warn.assigns_in_conditional.d:10:18: warning: an assignment as a condition: what is assigned decides */
/* @stderr: == compares */
/* An assignment before ? is valid, and warned of. */
int x;

BEGIN
{
	printf("%s\n", (x = 2) ? "yes" : "no");
	exit(0);
}
