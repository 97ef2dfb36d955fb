/* @rows: spec.none_free opt.nspec */
/* @stderr: 2 failed speculations (no speculative buffer available) */
/* one at a time is what there is by default: the others get 0, and are counted */
BEGIN
{
	printf("%d", speculation());
	printf(" %d", speculation());
	printf(" %d\n", speculation());
	exit(0);
}
