/* @command: -xcppargs=-DFOO=3 -C -qn 'BEGIN { exit(0); }' */
