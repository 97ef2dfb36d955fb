/* @rows: fun.cleanpath */
/* ., // and .. go; .. stays where nothing is before it, but not at the root */
BEGIN
{
	printf("[%s]", cleanpath("/a/./b//c"));
	printf("[%s]", cleanpath("/a/b/../c"));
	printf("[%s]", cleanpath("/.."));
	printf("[%s]", cleanpath("../a"));
	printf("[%s]", cleanpath("a/../../b"));
	printf("[%s]\n", cleanpath("/"));
	exit(0);
}
