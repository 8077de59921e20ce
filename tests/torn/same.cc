/* Two structs of one name and size: the compiler names a template without its arguments. */
#include "../../bugs/pm.h"

template <class T> struct page {
	uint64_t owner;
	uint64_t next;
};

template <> struct page<char> {
	uint64_t length;
	uint64_t next;
};

struct file {
	page<int> numbers;
	page<char> text;
};

int main(int, char **argv)
{
	struct file *f = (struct file *)pm_map(argv[1], sizeof(*f));
	page<int> *numbers = &f->numbers;
	page<char> *text = &f->text;

	if (numbers->owner + numbers->next + text->length + text->next)
		return 0;
	numbers->owner = 1;
	numbers->next = 2;
	text->length = 3;
	text->next = 4;
	pm_persist(f, sizeof(*f));
	return 0;
}
