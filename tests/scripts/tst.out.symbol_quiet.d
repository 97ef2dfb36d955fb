/* @rows: out.symbol act.usym act.umod act.ufunc act.uaddr */
/* @sonde: -q -c /bin/true */
/* as without -q: 52 columns */
syscall::exit_group:entry
{
	usym(16); printf(" "); umod(16); printf(" "); ufunc(17); printf(" "); uaddr(18); printf("\n");
}
