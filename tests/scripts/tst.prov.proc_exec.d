/* @rows: prov.proc_exec */
/* @sonde: -q -c 'env true' */
/* exec, then exec-success under the new name; env tries each folder of PATH, so a failure may come first */
proc:::exec-success
/pid == $target/
{
	@success[execname] = count();
}

proc:::exec
/basename(args[0]) == "true"/
{
	self->tried = 1;
}

END
{
	printa("%s %@d\n", @success);
}
