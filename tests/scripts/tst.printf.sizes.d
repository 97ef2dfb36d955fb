/* @rows: fmt.h fmt.l fmt.ll */
/* @sonde: -q */
/* sizes that name the type of the argument */
BEGIN
{
	printf("%hd %ld %lld %llu\n", (short)-1, (long)-2, (long long)-3, (unsigned long long)4);
	printf("%lx %lld %ld\n", (uint64_t)255, (int64_t)-5, (int64_t)-6);
	exit(0);
}
