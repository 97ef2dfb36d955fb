/* @rows: spec.nspec opt.nspec */
/* @sonde: -q -x nspec=4 */
/* ids count from 1; each holds its own */
BEGIN
{
	a = speculation();
	b = speculation();
	c = speculation();
	d = speculation();
	printf("%d %d %d %d\n", a, b, c, d);
}

BEGIN { speculate(c); printf("third\n"); }
BEGIN { speculate(a); printf("first\n"); }
BEGIN { speculate(b); printf("second\n"); }
BEGIN { commit(b); }
BEGIN { discard(a); commit(d); }
BEGIN { commit(c); }
BEGIN { exit(0); }
