/* @rows: fmt.c fmt.C fmt.S */
/* @sonde: -q */
/* characters and visible escapes */
BEGIN
{
	printf("%c%c %C %C\n", 65, 'b', 'c', '\n');
	printf("%S %S\n", "a\nb", "c\td");
	exit(0);
}
