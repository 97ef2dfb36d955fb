/* @sonde: -x amin=Stable/Stable/Common */
BEGIN
{
	trace(getmajor(5));
}

/* @rows: opt.amin */
