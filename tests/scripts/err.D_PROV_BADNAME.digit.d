provider db2 {
	probe start();
};
