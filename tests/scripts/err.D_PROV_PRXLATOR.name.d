provider app {
	probe start(int a) : (int b);
};
