BEGIN
{
	trace(1$pid);
}

/* @rows: macro.pid */
