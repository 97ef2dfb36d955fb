/* @rows: prov.proc_signal */
/* @sonde: -q -c "sh -c 'trap : USR1; kill -USR1 $$; exit 0'" */
/* a signal with a handler: delivered and handled once */
proc:::signal-handle
/pid == $target/
{
	@handled[args[0] == SIGUSR1] = count();
}

signal:::deliver
/pid == $target/
{
	@delivered[execname] = count();
}
