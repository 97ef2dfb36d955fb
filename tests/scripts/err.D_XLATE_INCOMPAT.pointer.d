struct in { int i; char c; }; struct out { char *myc; };
translator struct out < struct in *p > { myc = p->c; };
