/* @rows: opt.units */
/* @sonde: -q -x units=auto -c "dd if=/dev/zero of=/dev/null bs=1M count=1 status=none" */
/* Not by themselves: a script prints what the call says. */
syscall::write:return
/execname == "dd" && arg1 == 1048576/
{
	printf("%s\n", retstr);
}
