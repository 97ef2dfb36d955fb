/* @rows: prov.profile prov.profile_ourselves */
/* @sonde: -q -x source=ptrace */
/* @stderr: profile: no program is traced, so it fires in sonde itself */
/* profile needs nobody to trace: a timer on each CPU fires it, in sonde itself. */

profile-97 { printf("%d %d %d %s\n", cpu >= 0, arg0, arg1 != 0, pid == $pid ? "own" : execname); exit(0); }
