self nosuch_t x;
BEGIN { self->x = 1; }
