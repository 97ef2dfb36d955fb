/* @rows: type.linux */
/* The kernel's names. */
BEGIN
{
	printf("%d %d %d %d %d\n", sizeof (__u8), sizeof (__u16), sizeof (__u32), sizeof (__u64), sizeof (uint));
	exit(0);
}
