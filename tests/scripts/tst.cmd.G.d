/* @rows: cmd.Gh */
/* @command: -o @scratch@/probes.o -G -xlazyload -s @script@ */
/* -G writes an object, and nothing else; -x of DTrace's linker is ignored. */
provider app {
	probe start();
};
