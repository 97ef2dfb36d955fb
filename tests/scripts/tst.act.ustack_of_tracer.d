/* @rows: act.ustack_of_tracer */
/* The tracer's own user stack is empty. */

BEGIN { @[ustack()] = count(); ustack(); trace("on"); exit(0); }
