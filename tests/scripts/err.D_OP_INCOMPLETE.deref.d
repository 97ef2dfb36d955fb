struct later;
struct later *p;

BEGIN
{
	v = *p;
}

/* @rows: type.incomplete */
