/* @rows: fmt.Y fmt.T */
/* @sonde: -q */
/* dates */
BEGIN
{
	t = (int64_t)1700000000 * 1000000000;
	printf("%Y\n", t);
	printf("%T\n", t);
	printf("[%30Y]\n", t);
	exit(0);
}
