BEGIN { speculate(0); self->f = 5; this->g = 6; }
BEGIN { trace(self->f); trace(this->g); exit(0); }
