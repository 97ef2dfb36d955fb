self x;
BEGIN { self->x = 1; }
