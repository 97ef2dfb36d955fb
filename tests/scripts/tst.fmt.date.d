/* @rows: fmt.Y fmt.T */
/* local time: here UTC */
BEGIN
{
	printf("%Y\n", (int64_t)0);
	printf("%Y\n", (uint64_t)1763806473 * 1000000000);
	printf("%T\n", (int64_t)86400000000000);
	printf("[%30Y][%-30Y]\n", (int64_t)0, (int64_t)0);
	exit(0);
}
