/* @rows: pragma.option */
/* A value may be quoted. */
#pragma D option strsize="5"

BEGIN
{
	trace("abcdefgh");
	exit(0);
}
