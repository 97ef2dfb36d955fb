/* A struct of one's own, filled in and printed; clause-local arrays. */
#pragma D option quiet
struct io { int calls; long bytes; string what; };
struct io seen;
this int parts[3];

syscall::write:entry
/pid == $target/
{
	seen.calls++;
	seen.bytes += arg2;
	seen.what = seen.bytes > 100 ? "much" : "little";
	this->parts[0] = arg2 / 100;
	this->parts[1] = arg2 / 10 % 10;
	this->parts[2] = arg2 % 10;
	printf("%d %d %d\n", this->parts[0], this->parts[1], this->parts[2]);
}
END { printf("%d calls, %d bytes: %s\n", seen.calls, seen.bytes, seen.what); }
