/* @rows: act.setopt_fault */
/* @stderr: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): couldn't set option "nosuchopt" to "1": Invalid option name */

BEGIN { setopt("nosuchopt"); exit(0); }
