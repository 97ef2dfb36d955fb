#define LIMIT 5

BEGIN
{
	trace(LIMIT);
}

/* @rows: ctl.invalid */
