#!/usr/sbin/dtrace -Zs
/* Java's methods by class, and how many threads began: java -XX:+ExtendedDTraceProbes. */
#pragma D option quiet

hotspot$target:::method-entry
{
	this->class = (char *)copyin(arg1, arg2 + 1);
	this->class[arg2] = '\0';
	this->method = (char *)copyin(arg3, arg4 + 1);
	this->method[arg4] = '\0';
	@methods[stringof(this->class), stringof(this->method)] = count();
}

hotspot$target:::thread-start
{
	@threads = count();
}

dtrace:::END
{
	printa("%s.%s %@d\n", @methods);
	printa("threads %@d\n", @threads);
}
