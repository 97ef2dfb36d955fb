/* @rows: warn.assignment */
/* @sonde: -q */
/* @stderr: tst.warn.assigns_in_predicate.d:9:2: warning: an assignment as a condition: what is assigned decides */
/* @stderr: == compares */
/* An assignment in a predicate is valid, and warned of. */
int x;

BEGIN
/x = 1/
{
	printf("x is %d\n", x);
	exit(0);
}
