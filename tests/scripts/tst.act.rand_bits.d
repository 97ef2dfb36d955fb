/* @rows: fun.rand_bits */
/* rand() has 32 random bits: half of its values are negative. */

int low, high, n;

tick-1ms
/n < 200/
{
	n++;
	r = rand();
	low += r < 0;
	high += (r >> 30 & 1) != 0;
}

tick-1ms
/n == 200/
{
	printf("%d %d\n", low > 50 && low < 150, high > 50 && high < 150);
	exit(0);
}
