/* @rows: cmd.Gh */
/* @command: -h -s @script@ -o @scratch@/x.h */
provider app {
	probe start(int);
	probe start(long);
	probe request_start(int);
	probe request__start(int);
	probe start_enabled();
};
