/* @sonde: -x nolibs */
BEGIN
{
	trace(curpsinfo->pr_pid);
}

/* @rows: lib.nolibs */
