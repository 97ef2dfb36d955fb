/* @rows: agg.key_symbol */
/* addresses that lie in nothing are shown as they are */
BEGIN
{
	@a[uaddr(0x10)] = count();
	@b[usym(0x10)] = count();
	@c[ufunc(0x10)] = count();
	printa("[%A] %@d\n", @a);
	printa("[%A] %@d\n", @b);
	printa("[%A] %@d\n", @c);
	exit(0);
}
