provider app {
	probe start(int) : (int, int);
};
