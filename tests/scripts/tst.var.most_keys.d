/* @rows: var.most_keys */
/* @sonde: -q -x errtags */
/* @status: 1 */
/* @stderr: failed to compile script tst.var.most_keys.d: Insufficient tuple registers to generate code */
/* Nine keys are the most; the refusal has neither tag nor line. */

BEGIN
{
	m[1, 2, 3, 4, 5, 6, 7, 8, 9] = 1;
	n[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] = 1;
	exit(0);
}
