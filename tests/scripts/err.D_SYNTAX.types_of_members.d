/*
 * A member begins with a type, also with one that only the kernel describes.
 * What is none is named. A typedef that failed is reported once.
 */
struct known
{
	int first;
	nosuch_t second;
};

typedef nosuch_t also_t;
also_t variable;

union other
{
	nosuch *first;
};
