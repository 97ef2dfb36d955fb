/* Opens by process and file, as a table. */
syscall::open*:entry
{
	@files[execname, probefunc == "open" ? copyinstr(arg0) : copyinstr(arg1)] = count();
}
END { printa("%-16s %-60s %@8d\n", @files); }
