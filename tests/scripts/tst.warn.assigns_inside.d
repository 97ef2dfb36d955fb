/* @rows: warn.assignment */
/* @sonde: -q */
/* @stderr: tst.warn.assigns_inside.d:11:8: warning: an assignment as a condition */
/* @stderr: tst.warn.assigns_inside.d:13:6: warning: an assignment as a condition */
/* @stderr: tst.warn.assigns_inside.d:14:10: warning: an assignment as a condition */
/* Also in what && joins, in an if and in ?:; not where its value is compared. */
int x;
int y;

BEGIN
/1 && (x = 1)/
{
	if (y = 2)
		trace((x = 3) ? "a" : "b");
	if ((y = 4) == 4)
		exit(0);
}
