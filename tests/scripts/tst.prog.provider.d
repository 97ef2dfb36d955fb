/* @rows: prog.clause */
/* A provider declaration makes no probes, and is checked. */
struct in { int a; };
struct out { int b; };
translator struct out < struct in *p > { b = p->a; };

#pragma D attributes Evolving/Evolving/Common provider myapp provider
provider myapp {
	probe start(int, string);
	probe query__done(struct in *i, int code) : (struct out *i, int code);
	probe stop();
};

provider myapp {
	probe start(int, string);
	probe query__done(struct in *i, int code) : (struct out *i, int code);
	probe stop();
};

BEGIN
{
	trace("ok");
	exit(0);
}
