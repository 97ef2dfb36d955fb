void *p;
BEGIN { p += 4; }
