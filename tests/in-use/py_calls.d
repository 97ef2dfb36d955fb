#!/usr/sbin/dtrace -Zs
/* Python's function calls, by file and name: python*:::function-entry of every process, or of that of -c and -p. */
#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

python*:::function-entry
{
	@calls[basename(copyinstr(arg0)), copyinstr(arg1)] = count();
}

dtrace:::END
{
	printf(" %-32s %-32s %8s\n", "FILE", "FUNCTION", "CALLS");
	printa(" %-32s %-32s %@8d\n", @calls);
}
