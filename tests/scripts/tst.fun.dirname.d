/* @rows: fun.dirname */
/* POSIX */
BEGIN
{
	printf("[%s]", dirname("/usr/lib/libc.so"));
	printf("[%s]", dirname("/usr/lib/"));
	printf("[%s]", dirname("usr"));
	printf("[%s]", dirname("usr/"));
	printf("[%s]", dirname("/usr"));
	printf("[%s]", dirname("/"));
	printf("[%s]", dirname(""));
	printf("[%s]\n", dirname("a//b"));
	exit(0);
}
