/* @rows: opt.cpu */
/* @sonde: -q -x cpu=0 -c "taskset -c 0 /bin/echo hello" */
/* what runs on CPU 0 is seen; sonde's own probes are always */
syscall::write:entry
/arg0 == 1/
{
	printf("%d\n", cpu);
}

END { printf("END\n"); }
