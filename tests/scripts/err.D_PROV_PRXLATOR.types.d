struct in { int a; };
struct out { int a; };

provider app {
	probe start(struct in *p) : (struct out *p);
};
