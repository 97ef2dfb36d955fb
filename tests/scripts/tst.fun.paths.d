/* @rows: fun.basename fun.dirname */
/* @sonde: -q */
/* basename and dirname */
BEGIN
{
	printf("[%s] [%s] [%s] [%s] [%s]\n", basename("/usr/lib/libc.so"), basename("a//"), basename("/"), basename(""), basename("x"));
	printf("[%s] [%s] [%s] [%s] [%s]\n", dirname("/usr/lib/libc.so"), dirname("foo"), dirname("/"), dirname("/a"), dirname("a/b/"));
	exit(0);
}
