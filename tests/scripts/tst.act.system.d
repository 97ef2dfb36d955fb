/* @rows: act.system cmd.w */
/* @sonde: -q -w */
/* sh runs it, in the order of the output */
BEGIN
{
	printf("before\n");
	system("echo %s %d | tr a-z A-Z", "word", 7);
	printf("after\n");
	system("exit 3");
	system("%s", "echo 'one line'; echo another");
	exit(0);
}
