/* @rows: prog.glob_star prog.glob_question prog.glob_set prog.empty_field */
/* * ? and [ ] in every field. */
d*e:::BEG?N,
dtrac?:::[A-C]EGIN,
dtrace:::[!E]EGIN,
*:::B*N,
:::BEGI[MN]
{
	printf("%s ", probename);
}

BEGIN
{
	exit(0);
}
