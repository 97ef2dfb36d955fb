BEGIN /self->prev == 0/ { self->prev = timestamp; printf("first"); exit(0); }
