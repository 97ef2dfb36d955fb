/* @rows: cmd.Gh */
/* @command: -h -s @script@ -o @scratch@/x.h */
provider app {
	probe start(int, int, int, int, int, int, int, int, int, int, int, int);
	probe end(int, int, int, int, int, int, int, int, int, int, int, int, int);
};
