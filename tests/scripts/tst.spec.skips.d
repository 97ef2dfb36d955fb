/* @rows: spec.skips */
/* speculate() of what is no speculation skips the rest of the clause, all of it, and says nothing. */

BEGIN { speculate(77); n = 1; }
BEGIN { speculate(-2); n = 1; }
BEGIN { speculate(0); self->f = 5; this->g = 6; }
BEGIN { trace(n); trace(self->f); trace(this->g); exit(0); }
