/* The calls of one name, $1, and of one program, $$2. */
#pragma D option quiet
syscall::$1:entry
/execname == $$2/
{
	@ = count();
}
END { printa("%@d\n", @); }
