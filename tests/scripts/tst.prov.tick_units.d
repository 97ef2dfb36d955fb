/* @rows: prov.tick prov.tick_units */
/* @sonde: -q */
/* every unit names a probe; only the short one fires here */
tick-1ms
{
	printf("ms\n");
	exit(0);
}

tick-2000000000ns, tick-9000000us, tick-9000msec, tick-100s, tick-5min, tick-1h, tick-1d, tick-1day, tick-9sec,
tick-9SEC, tick-100MS, tick-1Hz, tick-3Sec
{
}
