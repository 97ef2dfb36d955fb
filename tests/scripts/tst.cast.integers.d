/* @rows: expr.cast */
/* @sonde: -q */
/* casts cut, then extend */
BEGIN
{
	x = 300;
	printf("%d %d %d\n", (char)x, (char)200, (uint8_t)-1);
	printf("%d %d\n", (short)0x12345, (unsigned short)-1);
	printf("%d %d\n", (int)0xffffffff, (uint64_t)(int)-1 == 0xffffffffffffffff);
	printf("%u\n", (uint64_t)-1);
	printf("%d\n", (int64_t)(uint32_t)-1);
	printf("%x\n", (char)-3);
	exit(0);
}
