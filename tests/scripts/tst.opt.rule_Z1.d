struct pr { int a; } one;
BEGIN { one.a = 4; m[1] = one; m[1] = 0; self->t = one; self->t = 0; trace(m[1].a + self->t.a); exit(0); }
