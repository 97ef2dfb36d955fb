/* @rows: type.uchar */
/* The old names. */
BEGIN
{
	printf("%d %d %d %d %d\n", sizeof (uchar_t), sizeof (ushort_t), sizeof (uint_t), sizeof (ulong_t), sizeof (u_longlong_t));
	exit(0);
}
