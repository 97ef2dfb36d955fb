/* @rows: act.chill fault.illop */
/* @sonde: -q -w -c /bin/true */
/* @stderr: illegal operation */
/* over half a second is refused, also in pieces */
syscall::exit_group:entry { chill(500000001); }
syscall::exit_group:entry { chill(1000); chill(500000000); }
ERROR { @faults = count(); }
END { printa("%@d\n", @faults); }
