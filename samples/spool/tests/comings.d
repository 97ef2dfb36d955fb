/* What work.sh does. It ends when the queue is empty. */
spool:::arrive { printf("+ %s, %d waiting\n", args[1], args[0]->s_waiting); }
spool:::leave { printf("- %s, %d waiting\n", args[1], args[0]->s_waiting); }
spool:::leave /args[0]->s_waited > 0 && args[0]->s_waiting == 0/ { exit(0); }
