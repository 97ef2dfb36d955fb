/* @rows: spec.zero act.commit act.discard */
/* an id that nobody was given is as good as none */
#pragma D option nspec=3

BEGIN
{
	speculate(2);
	printf("never seen\n");
}

BEGIN
{
	commit(2);
	discard(3);
}

BEGIN
{
	printf("done\n");
	exit(0);
}
