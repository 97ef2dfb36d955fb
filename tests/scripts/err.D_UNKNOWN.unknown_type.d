nosuch_t x;
