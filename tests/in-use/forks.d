/* Who makes a process, and that the process starts. */
proc:::create
{
	printf("%d makes %d\n", pid, args[0]->pr_pid);
}
proc:::start
/ppid == $target/
{
	printf("%d starts\n", pid);
}
