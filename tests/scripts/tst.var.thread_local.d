/* @rows: var.self var.self_begin */
/* @sonde: -q */
/* self-> lives on from probe to probe, also where no thread is traced */
BEGIN
{
	self->x = 7;
	self->text = "kept";
	exit(0);
}

END
/self->x/
{
	printf("%d %s\n", self->x, self->text);
	self->x = 0;
}

END
/self->x == 0/
{
	printf("gone\n");
}
