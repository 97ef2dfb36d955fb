/* @rows: opt.aggsize drop.aggregation */
/* @sonde: -q -x aggsize=100 */
/* @stderr: aggregation drops on CPU */
/* keys that find no room are counted as drops; those that are there go on */
BEGIN
{
	@a[1] = count(); @a[2] = count(); @a[3] = count(); @a[4] = count(); @a[5] = count(); @a[6] = count();
	@a[7] = count(); @a[8] = count(); @a[9] = count(); @a[10] = count(); @a[11] = count(); @a[12] = count();
	@a[13] = count(); @a[14] = count(); @a[15] = count(); @a[16] = count(); @a[17] = count(); @a[18] = count();
	@a[19] = count(); @a[20] = count(); @a[21] = count(); @a[22] = count(); @a[23] = count(); @a[24] = count();
	@a[1] = count();
	printf("on\n");
	exit(0);
}

END { trunc(@a, 1); printa("%d: %@d\n", @a); }
