/* @rows: var.stack_element */
/* @sonde: -q -c true -x aggzeros=no */
/* an element is the same key as the stack itself, in whatever array it is; what 0 deletes, and what is not there, is an empty one */
syscall::exit_group:entry
{
	kept["a"] = ustack(3);
	self->of[1, "x"] = kept["a"];
	kept["b"] = self->of[1, "x"];
	kept["c"] = kept["a"];
	kept["a"] = 0;
	@stacks[kept["b"]] = sum(2);
	@stacks[kept["c"]] = sum(5);
	@stacks[ustack(3)] = sum(-7);
	@stacks[kept["a"]] = sum(1);
	@stacks[kept["none"]] = sum(3);
	printa("[%k] %@d\n", @stacks);
}
