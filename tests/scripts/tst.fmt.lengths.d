/* @rows: fmt.h fmt.l fmt.ll */
/* h, l and ll name the argument's type; int64_t counts as l and ll */
BEGIN
{
	printf("%hd %hu %hx\n", (short)-1, (unsigned short)65535, (short)-1);
	printf("%ld %lu %lx\n", (long)-1, (unsigned long)7, (long)-1);
	printf("%lld %llu %llx\n", (long long)-1, (unsigned long long)7, (long long)-1);
	printf("%ld %lld\n", (int64_t)5, (int64_t)6);
	printf("%lu %llu\n", timestamp - timestamp, (uint64_t)9);
	exit(0);
}
