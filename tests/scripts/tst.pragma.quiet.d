/* @rows: pragma.option opt.quiet */
/* @sonde:  */
/* options by pragma */
#pragma D option quiet

BEGIN
{
	trace(1);
	exit(0);
}
