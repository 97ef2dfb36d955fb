/* @rows: cmd.P */
/* @command: -q -P dtrace'{ printf("%s\n", probename); } BEGIN { exit(0); }' */
/* all probes of a provider, then a second clause in the same text */
