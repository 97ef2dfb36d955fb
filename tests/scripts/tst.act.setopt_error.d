/* @rows: act.setopt act.setopt_bad */
/* @stderr: couldn't set option "nosuch" to "1": Invalid option name */
/* @stderr: couldn't set option "bufsize" to "1m": Operation illegal when tracing is active */
/* @stderr: couldn't set option "quiet" to "maybe": Invalid value for specified option */
/* what cannot be set is told, and tracing goes on */
BEGIN { setopt("nosuch"); }
BEGIN { setopt("bufsize", "1m"); }
BEGIN { setopt("quiet", "maybe"); }
BEGIN { printf("on\n"); exit(0); }
