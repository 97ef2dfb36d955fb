/* @rows: fmt.precision fmt.d fmt.x fmt.o fmt.u */
/* a precision is the least number of digits; with one the flag 0 is off */
BEGIN
{
	printf("[%.4d][%8.4d][%-8.4d][%08.4d]\n", 42, 42, 42, 42);
	printf("[%.4x][%.4o][%.4u][%.3d]\n", 255, 8, 7, -5);
	printf("[%.0d][%.d]\n", 1, 2);
	exit(0);
}
