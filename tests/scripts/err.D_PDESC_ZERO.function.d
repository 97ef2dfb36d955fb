syscall::nosuchcall:entry
{
	trace(1);
}

/* @rows: msg.no_match */
