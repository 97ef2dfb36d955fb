/* @rows: msg.hint_below */
/* bpftrace's word: the hint says D's. */
BEGIN
{
	trace(comm);
}
