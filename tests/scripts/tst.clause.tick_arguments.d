/* @rows: clause.tick_arguments */
/* Of a tick of our own arg1 is the program counter, and arg0 is 0. */

tick-50ms { trace((arg0 != 0) + 2 * (arg1 != 0)); exit(0); }
