// pointers.cc - functions of the C library that are called by pointers: of a table, and of a header that
// hands strtol on. Five paths for two bytes.
#include <cctype>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <unistd.h>

static int (*const kinds[])(int) = {isupper, ispunct};

int main()
{
	char buffer[2];

	if (read(0, buffer, sizeof(buffer)) != 2)
		return 1;
	for (auto kind : kinds)
		if (kind((unsigned char)buffer[0]))
			return 0;
	std::string all(buffer, 2);
	try {
		if (std::stoi(all) == 33)
			puts("the number");
	} catch (const std::invalid_argument &) {
		puts("none");
	}
	return 0;
}
