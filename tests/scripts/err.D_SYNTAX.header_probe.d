/* @rows: cmd.Gh */
/* @command: -h -s @script@ -o @scratch@/x.h */
provider app {
	probe start(unknown_t)
	probe end(int);
};
