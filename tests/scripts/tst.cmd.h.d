/* @rows: cmd.Gh */
/* @command: -h -s @script@ -o @scratch@/probes.h */
/* -h writes a header for a program, and nothing else. */
provider app {
	probe start();
};
