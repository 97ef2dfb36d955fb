/* @rows: agg.llquantize_steps */
/* more steps than the factor: narrow buckets from the second magnitude on */
BEGIN
{
	@ = llquantize(9, 10, 0, 1, 20); @ = llquantize(10, 10, 0, 1, 20); @ = llquantize(14, 10, 0, 1, 20);
	@ = llquantize(15, 10, 0, 1, 20); @ = llquantize(95, 10, 0, 1, 20); @ = llquantize(99, 10, 0, 1, 20);
	exit(0);
}
