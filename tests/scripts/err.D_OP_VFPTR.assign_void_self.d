self void *p;
BEGIN { self->p -= 1; }
