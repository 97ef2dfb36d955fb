/* @rows: act.trace out.header out.row out.int_sizes out.unsigned out.string */
/* @sonde:  */
/* @cpu: 0 */
/* the default output: columns, then each value in the width of its type */
BEGIN
{
	trace(42);
	trace("text");
}

BEGIN
{
	trace((int64_t)-1);
	trace((short)2);
	trace((char)3);
	trace((unsigned int)4);
}

BEGIN
{
	printf("a %d", 5);
	exit(0);
}

END
{
	trace(1);
}
