BEGIN { trace(self->x); }
/* @rows: var.undefined */
