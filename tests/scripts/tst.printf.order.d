/* @sonde: -q */
/* arguments are evaluated from left to right */
BEGIN
{
	i = 1;
	printf("%d %d %d\n", i++, i++, i++);
	exit(0);
}
