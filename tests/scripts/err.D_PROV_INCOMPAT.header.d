/* @rows: cmd.Gh */
/* @command: -h -s @script@ -o @scratch@/x.h */
provider app {
	probe start(int);
}
provider app {
	probe end(int);
}
