/* @rows: cmd.q out.quiet_newline */
/* @sonde: -q */
/* trace() in quiet mode adds nothing */
BEGIN
{
	trace(1);
	trace("x");
	trace((char)-2);
	trace((uint64_t)-1);
	exit(0);
}
