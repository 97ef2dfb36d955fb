/* @rows: spec.none_free */
/* @sonde: -q -x droptags */
/* @stderr: [DTRACEDROP_SPECUNAVAIL] 1 failed speculation (no speculative buffer available) */
/* one is singular, and droptags shows the tag */
BEGIN
{
	printf("%d", speculation());
	printf(" %d\n", speculation());
	exit(0);
}
