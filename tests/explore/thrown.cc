// thrown.cc - exceptions: what a constructor of the library is given to make is no input, whatever was in that memory before.
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <unistd.h>
#include <vector>

static void handle(char c)
{
	if (c == '!')
		throw std::runtime_error("bang");
}

int main()
{
	std::vector<char> v(3);
	std::map<char, int> seen; // takes the memory that the text of an exception had
	int thrown = 0;

	if (read(0, v.data(), 3) != 3)
		return 1;
	for (char c : v)
		try {
			handle(c);
			seen[c]++;
		} catch (const std::exception &) {
			thrown++;
		}
	if (thrown == 3)
		std::abort();
	return 0;
}
