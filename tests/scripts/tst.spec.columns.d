/* @rows: spec.commit out.row */
/* @sonde: */
/* @cpu: 0 */
/* a committed row has the columns of the probe that recorded it */
BEGIN { self->id = speculation(); }
BEGIN { speculate(self->id); trace("from BEGIN"); }
END { commit(self->id); }
END { trace("from END"); }
BEGIN { exit(0); }
