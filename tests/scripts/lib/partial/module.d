#pragma D depends_on module nosuch_module

nosuch_t absent;
