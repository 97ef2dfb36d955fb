/* @rows: opt.units */
/* @sonde: -q -x units=always -c "dd if=/dev/zero of=/dev/null bs=1M count=1 status=none" */
/* Large sizes have a unit, also in a pipe. */
syscall::write:return
/execname == "dd" && arg1 == 1048576/
{
	printf("%s\n", retstr);
}
