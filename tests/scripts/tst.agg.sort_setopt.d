/* @rows: act.setopt agg.aggsortkey agg.aggsortrev */
/* setopt() holds for what is printed afterwards */
BEGIN
{
	@["a"] = sum(3); @["b"] = sum(1); @["c"] = sum(2);
	printa("%s ", @); printf("\n");
}
BEGIN { setopt("aggsortkey"); }
tick-10ms { printa("%s ", @); printf("\n"); setopt("aggsortrev", "yes"); }
tick-10ms { exit(0); }
END { printa("%s ", @); printf("\n"); }
