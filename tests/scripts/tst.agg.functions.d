/* @rows: agg.count agg.sum agg.avg agg.min agg.max */
/* @sonde: -q */
/* the plain functions over the numbers of a list */
BEGIN
{
	@count = count();	@sum = sum(-7);	@avg = avg(-7);	@min = min(-7);	@max = max(-7);
	@count = count();	@sum = sum(2);	@avg = avg(2);	@min = min(2);	@max = max(2);
	printa("count %@d\n", @count);
	printa("sum %@d\n", @sum);
	printa("avg %@d\n", @avg);
	printa("min %@d\n", @min);
	printa("max %@d\n", @max);
	exit(0);
}
