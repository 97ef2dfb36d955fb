/* @sonde: -C */
#define BROKEN x = ;

BEGIN
{
	BROKEN
}

/* @rows: cmd.C */
