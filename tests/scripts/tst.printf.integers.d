/* @rows: fmt.d fmt.i fmt.u fmt.o fmt.x fmt.X fmt.flag_hash */
/* @sonde: -q */
/* the argument has size and sign, not the conversion */
BEGIN
{
	printf("%d %d %u\n", 4294967295U, -3, (char)-3);
	printf("%x %o %X %x\n", 255, 8, 255, -1);
	printf("%#x %#o\n", 255, 8);
	printf("%i\n", (short)-7);
	printf("%x\n", (int64_t)-1);
	exit(0);
}
