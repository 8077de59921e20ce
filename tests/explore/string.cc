// string.cc - a std::string of what is read: it is looked for in, cut, compared. Five paths for two bytes.
#include <cstdio>
#include <string>
#include <unistd.h>

int main()
{
	char buffer[2];
	ssize_t n = read(0, buffer, sizeof(buffer));

	if (n != 2)
		return 1;
	std::string all(buffer, 2);
	size_t at = all.find('=');
	if (at == std::string::npos)
		return 0;
	if (at == 1 && all.substr(0, 1) == "k")
		puts("a key");
	if (at == 0 && all.compare(1, 1, "v") == 0)
		puts("a value");
	return 0;
}
