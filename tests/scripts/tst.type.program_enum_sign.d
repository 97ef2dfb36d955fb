/* @program: enums -O2 -g */
/* @command: -q -w -c @program@ -s @script@ @scratch@/dump */
/* @rows: type.program type.enum act.print */
/* An enum of the program has the sign that the program gave it: values above INT_MAX are not negative, nor is 200 in a byte. */
BEGIN { freopen("%s", $$1); }

pid$target:a.out:show:entry
{
	print((struct all *)arg0);
	this->all = (struct all *)arg0;
	printf("%lld %lld\n", (int64_t)(enum large)arg1, (int64_t)(enum negative)arg2);
	printf("%d %d %d\n", this->all->large == LARGE, this->all->little == MANY, this->all->negative == MINUS);
	printf("%d %d %d\n", this->all->little, this->all->odd, this->all->negative);
	trace((enum large)arg1);
	trace("\n");
}

END { freopen(""); system("sed 's/^0x[0-9a-f]* =/ADDRESS =/' %s", $$1); }
