/* @rows: opt.pspec opt.pspec_type */
/* @sonde: -q -Z */
#pragma D option pspec
/* A description needs no clause then, and a type and a star begin one. */
int*:::nothing*, BEGIN
{
	printf("set\n");
	exit(0);
}
END
