/* @rows: act.setopt */
/* @sonde: -q */
/* options may change while tracing */
BEGIN
{
	@["a"] = sum(1);
	@["b"] = sum(2);
	setopt("aggsortrev");
	setopt("quiet", "yes");
	exit(0);
}
