BEGIN
/this->path == 1/
{
	trace(this->path == 2);
}

/* @rows: var.undefined */
