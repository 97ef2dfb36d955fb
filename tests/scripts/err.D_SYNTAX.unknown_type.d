foo_t x;
