/* @rows: prog.exit_rest act.exit prov.END prog.begin_end */
/* @sonde: -q */
/* after exit() the rest of the clause runs, no other clause but END's */
BEGIN
{
	printf("one\n");
	exit(0);
	printf("two\n");
}

BEGIN
{
	printf("not this\n");
}

END
{
	printf("end\n");
}
