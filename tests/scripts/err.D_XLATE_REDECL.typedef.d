struct in { int i; }; struct out { int o; }; typedef struct out out_t; typedef struct in in_t;
translator struct out < struct in *p > { o = p->i; };
translator out_t < in_t *p > { o = p->i; };
