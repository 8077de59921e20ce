// streams.cc - text that is put into a stream: what goes out is gone, what a string stream has is read again, also where
// std::cout leads into one (REDIRECTED; APART: that is done in redirect.cc). ITERATED: std::cin is read by an iterator alone.
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <unistd.h>

#ifdef APART
std::streambuf *lead(std::streambuf *to);
#else
static std::streambuf *lead(std::streambuf *to)
{
	return std::cout.rdbuf(to);
}
#endif

int main()
{
	char buffer[2];

#ifdef ITERATED
	std::string most{std::istreambuf_iterator<char>(std::cin),
			 std::istreambuf_iterator<char>()};
	if (most == "ab")
		return 2;
	if (most == "cd")
		return 3;
	return 0;
#endif
	if (read(0, buffer, sizeof(buffer)) != 2)
		return 1;
	std::string all(buffer, 2);
	std::cout << "read: " << all << " and that is all" << std::endl;
	if (buffer[0] == 'x')
		std::cout << all;
#ifdef REDIRECTED
	std::ostringstream led;
	std::streambuf *before = lead(led.rdbuf());
	std::cout << all;
	lead(before);
	if (led.str() == "ab")
		return 2;
#endif
#ifdef AGAIN
	std::ostringstream text;
	text << all;
	if (text.str() == "ab")
		return 2;
#endif
	return 0;
}
