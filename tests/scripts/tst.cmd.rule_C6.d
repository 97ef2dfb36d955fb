/* @command: -qn 'BEGIN { trace($1); exit(0); }' /etc/motd */
