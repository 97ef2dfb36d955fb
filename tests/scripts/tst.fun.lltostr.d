/* @rows: fun.lltostr */
/* @sonde: -q */
/* numbers as text */
BEGIN
{
	printf("%s %s %s\n", lltostr(0), lltostr(-5), lltostr(12345678901234));
	printf("%s\n", strjoin("n", lltostr(3 * 4)));
	exit(0);
}
