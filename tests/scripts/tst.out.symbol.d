/* @rows: out.symbol act.usym act.umod act.ufunc act.uaddr */
/* @sonde: -c /bin/true */
/* @cpu: 0 */
/* @ids */
/* two blanks, 50 columns; what has no name is its address */
syscall::exit_group:entry
{
	usym(16); umod(16); ufunc(17); uaddr(18);
}
