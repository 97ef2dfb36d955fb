/* @rows: expr.kept_pointer */
/* @sonde: -q -c @program@ */
/* @program: structs -O0 -g */
/* an address of the program that is kept in a variable is followed later: the thread waits while the body reads */
struct node { int id; char name[12]; struct node *next; char *label; };
struct node *head, *saved[string];
uintptr_t words;
pid$target:a.out:visit:entry
{
	head = (struct node *)arg0;
	saved["next"] = head->next;
	words = arg1;
}

pid$target:a.out:visit:return
{
	printf("%d %s %s\n", head->id, stringof(head->name), stringof(head->label));
	printf("%d %s\n", head->next->id, stringof(head->next->label));
}

pid$target:a.out:corner:entry
/head->id == 7/
{
	this->there = saved["next"];
	whole = *head;
	printf("%s %d %d\n", this->there->name, whole.id, whole.next->id);
	printf("%c%c\n", *(char *)words, ((char *)words)[1]);
}

pid$target:a.out:corner:entry
/head->next->id == 7/
{
	printf("never\n");
}
