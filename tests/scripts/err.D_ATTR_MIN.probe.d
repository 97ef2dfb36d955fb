/* @sonde: -x amin=Stable/Stable/ISA */
syscall::read:entry
{
	trace(1);
}

/* @rows: opt.amin */
