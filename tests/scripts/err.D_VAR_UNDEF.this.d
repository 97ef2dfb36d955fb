BEGIN
{
	trace(this->x);
	this->x = 1;
}

/* @rows: var.undefined */
