/* @rows: type.char_pointer type.string */
/* char * and char [] stand where a string is wanted. */
BEGIN
{
  this->text = (char *)alloca(8); this->text[0] = 'h'; this->text[1] = 'i';
  printf("%d %s\n", strlen(this->text), strjoin(this->text, "!"));
  s = (string)this->text; printf("%s %d\n", s, s == "hi");
  exit(0);
}
