provider app {
	start(int);
};
