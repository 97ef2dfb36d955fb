/* @command: -qn 'BEGIN { trace($2); exit(0); }' x1 4 */
