BEGIN
{
#region
	trace(1);
}

/* @rows: ctl.invalid */
