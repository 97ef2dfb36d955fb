/* @rows: fun.progenyof */
/* sonde descends from itself and from its parent, and not from a process that cannot be */
BEGIN
{
	printf("%d %d %d %d\n", progenyof($pid), progenyof(pid), progenyof($ppid), progenyof(1000000000));
	exit(0);
}
