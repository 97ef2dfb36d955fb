self flag; this a, b;
BEGIN { self->flag = 7; this->b = 2; printf("%d %d", sizeof (self->flag), this->b); exit(0); }
