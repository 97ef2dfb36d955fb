/* @rows: fun.basename */
/* POSIX: trailing slashes do not count, the root is its own name, nothing is . */
BEGIN
{
	printf("[%s]", basename("/usr/lib/libc.so"));
	printf("[%s]", basename("/usr/lib/"));
	printf("[%s]", basename("usr//"));
	printf("[%s]", basename("/"));
	printf("[%s]", basename("///"));
	printf("[%s]", basename(""));
	printf("[%s]", basename("."));
	printf("[%s]\n", basename(".."));
	exit(0);
}
