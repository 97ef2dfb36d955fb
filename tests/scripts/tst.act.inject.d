/* @rows: act.inject */
/* @sonde: -q -w -c "sh -c 'kill -0 $$ 2> /dev/null || kill -0 $$'" */
/* the first call is not made, and fails as it says; the second is made */
syscall::kill:entry
/n++ == 0/
{
	inject(-ESRCH);
}

syscall::kill:return
{
	printf("%d %d\n", (int)arg1, errno == ESRCH);
}
