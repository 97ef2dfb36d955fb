/* @rows: fun.inet_ntop fault.illop */
/* @stderr: illegal operation in action #2 */
/* a family that is neither */
BEGIN
{
	this->a = alloca(16);
	trace(inet_ntop(99, this->a));
}

ERROR { printf("%d\n", arg4 == DTRACEFLT_ILLOP); exit(0); }
