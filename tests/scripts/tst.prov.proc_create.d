/* @rows: prov.proc_create prov.proc_start */
/* @sonde: -q -c "sh -c '(true); (true); exit 0'" */
/* two subshells: two creates by the target, two starts whose parent is the target */
proc:::create
/pid == $target/
{
	@create = count();
}

proc:::start
/ppid == $target/
{
	@start = count();
}
