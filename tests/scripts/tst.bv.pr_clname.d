/* @sonde: -q -c 'chrt -b 0 /bin/true' */
/* @rows: lwpsinfo.members */
/* @needs: /usr/bin/chrt */
/* The class is what ps calls it: TS by default, B after chrt -b. pr_pri is what ps shows as PRI, from 0 to 39 for both. */
syscall::exit_group:entry { printf("%s %d\n", curlwpsinfo->pr_clname, curlwpsinfo->pr_pri >= 0 && curlwpsinfo->pr_pri < 40); }
