/* @rows: cmd.e */
/* @command: -e -s @script@ */
/* compiled, not run: nothing is printed */
BEGIN
{
	printf("run\n");
	exit(1);
}
