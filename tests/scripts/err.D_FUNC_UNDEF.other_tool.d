/* @rows: msg.hint_below */
/* bpftrace's function: the hint says D's. */
BEGIN
{
	@ = hist(1);
}
