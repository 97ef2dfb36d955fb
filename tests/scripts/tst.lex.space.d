/* @rows: lex.space lex.comment lex.identifier */
/* tokens may be separated by nothing, blanks, tabs, lines, comments */
BEGIN{a_1=1;/* x */_b	=	2 ;
	c
	=
	/* a comment
	   of several lines ** with stars / and slashes */
	3;printf("%d %d %d\n",a_1,_b,c);exit(0)}
