provider app {
	probe start(int);
	probe stop();
	probe start(int);
};
