BEGIN { trace(self->n++); trace(++self->n); --this->m; trace(this->m); exit(0); }
