/* @rows: prov.proc_create */
/* @sonde: -q -c "sh -c '(true); exit 0'" */
/* a psinfo_t of another process has its number and its name: a child is born with its parent's */
proc:::create
/pid == $target/
{
	printf("%s %s %d\n", execname, args[0]->pr_fname, args[0]->pr_pid != pid);
}

