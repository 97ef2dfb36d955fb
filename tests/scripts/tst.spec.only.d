/* @rows: spec.only */
/* @sonde: */
/* @cpu: 0 */
/* A clause that does nothing but speculate() leaves an empty row in the speculation. */

BEGIN { self->w = speculation(); }
BEGIN { speculate(self->w); }
BEGIN { commit(self->w); }
BEGIN { exit(0); }
