struct nowhere_to_be_found *p;
BEGIN { trace(p->x); }
