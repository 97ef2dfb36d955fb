/* @sonde: -q -w -c "sh -c 'kill -0 $$; exec sleep 600'" */
/* what --inject makes of signal= and delay_enter=: the thread waits, then has a signal, which ends it */
syscall::kill:entry
{
	self->began = timestamp;
	__delay(30000000);
	__signal(SIGTERM);
}

syscall::kill:return
{
	printf("%d\n", timestamp - self->began >= 30000000);
}

proc:::exit
{
	printf("%d\n", arg0 == CLD_KILLED);
}
