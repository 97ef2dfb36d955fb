/* @rows: prov.proc_exit */
/* @sonde: -q -c "sh -c '(exit 3); kill -KILL $$'" */
/* args[0] of exit: a subshell exits, then the shell kills itself */
proc:::exit
/pid == $target || ppid == $target/
{
	@[pid == $target ? "shell" : "subshell", args[0] == CLD_KILLED ? "killed" : "exited"] = count();
}
