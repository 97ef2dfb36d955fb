/* @rows: fun.cleanpath */
/* @sonde: -q */
/* paths without ., .. and // */
BEGIN
{
	printf("[%s] [%s] [%s]\n", cleanpath("/foo/./bar//baz/../x"), cleanpath("/.."), cleanpath("/a/b/../../.."));
	printf("[%s] [%s]\n", cleanpath("/a/b"), cleanpath("../a"));
	exit(0);
}
