/* @sonde: -q -c 'taskset -c 0 /bin/true' */
/* @rows: lwpsinfo.members */
/* @needs: /usr/bin/taskset */
/* A thread that may run on one cpu only is bound to it. */
syscall::exit_group:entry { printf("%d %d\n", curlwpsinfo->pr_bindpro, curlwpsinfo->pr_onpro); }
