/* A translator of one's own: what of a timespec matters here. */
#pragma D option quiet
typedef struct pause {
	long p_ms;
	string p_who;
	int p_long;
} pause_t;

inline long PAUSE_LONG = 20;

translator pause_t < struct timespec *T > {
	p_ms = ((struct timespec *)copyin((uintptr_t)T, sizeof (struct timespec)))->tv_nsec / 1000000;
	p_who = execname;
	p_long = ((struct timespec *)copyin((uintptr_t)T, sizeof (struct timespec)))->tv_nsec / 1000000 >= PAUSE_LONG;
};

syscall::clock_nanosleep:entry
/pid == $target/
{
	this->p = xlate <pause_t> ((struct timespec *)arg2);
	printf("%s %d ms%s\n", this->p.p_who, this->p.p_ms, this->p.p_long ? " long" : "");
}
