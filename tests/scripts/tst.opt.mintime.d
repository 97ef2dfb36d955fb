/* @rows: opt.mintime */
/* @sonde: -F -q -x mintime=10ms -c "sh -c 'sleep 0.05; exit 3'" */
/* @cpu: 0 */
/* Of sleep's calls only the one that sleeps takes so long; its shell waits for it. */
syscall::clock_nanosleep:entry, syscall::close:entry
/execname == "sleep"/
{
	printf("asks");
}

syscall::clock_nanosleep:return, syscall::close:return
/execname == "sleep"/
{
	printf("has %s", retstr);
}
