/* @rows: prog.empty_field */
/* @sonde: -q -Z */
/* A name may end in digits. */
provider:::nothing99, tick-1000
{
	trace(probename);
	exit(0);
}
