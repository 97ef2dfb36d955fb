/* Names for numbers, and a choice of what to print. */
#pragma D option quiet
inline int OPT_TIME = 0;
inline int OPT_NAME = 1;
inline string WANTED = "getppid";
inline int is_wanted = probefunc == WANTED;

syscall:::entry
/pid == $target && is_wanted/
{
	OPT_TIME ? printf("%Y ", walltimestamp) : 1;
	OPT_NAME ? printf("%s ", execname) : 1;
	printf("%s\n", probefunc);
}
