/* @rows: opt.cpu */
/* @sonde: -q -x cpu=0 -c "sh -c 'taskset -c 0 /bin/echo >/dev/null; taskset -c 1 /bin/echo >/dev/null; taskset -c 0 /bin/echo >/dev/null'" */
/* @needs: /sys/devices/system/cpu/cpu1 */
/* @needs: /usr/bin/taskset */
/* what runs on CPU 0 is seen, and nothing else; sonde's own probes are always */
syscall::write:entry
/arg0 == 1 && execname == "echo"/
{
	printf("%d\n", cpu);
}

END
{
	printf("END\n");
}
