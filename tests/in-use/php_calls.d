#!/usr/sbin/dtrace -Zs
/* PHP's function calls by class and name, and its requests. */
#pragma D option quiet

php*:::request-startup
{
	@requests[basename(copyinstr(arg0))] = count();
}

php*:::function-entry
/arg0/
{
	@calls[arg3 ? strjoin(copyinstr(arg3), strjoin(copyinstr(arg4), copyinstr(arg0))) : copyinstr(arg0)] = count();
}

dtrace:::END
{
	printa("request %s %@d\n", @requests);
	printa("call %s %@d\n", @calls);
}
