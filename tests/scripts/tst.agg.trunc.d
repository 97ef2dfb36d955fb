/* @rows: agg.trunc_all agg.trunc_n agg.trunc_negative */
/* @sonde: -q */
/* trunc() keeps the greatest, or the least */
BEGIN
{
	@a["one"] = sum(1); @a["two"] = sum(2); @a["three"] = sum(3); @a["four"] = sum(4);
	@b["one"] = sum(1); @b["two"] = sum(2); @b["three"] = sum(3); @b["four"] = sum(4);
	@c["one"] = sum(1);
	trunc(@a, 2);
	trunc(@b, -2);
	trunc(@c);
	printa("%s %@d\n", @a);
	printa("%s %@d\n", @b);
	printa("%s %@d\n", @c);
	exit(0);
}
