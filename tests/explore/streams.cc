// streams.cc - text that is put into a stream: what goes out is gone, what a string stream has is read again.
#include <iostream>
#include <sstream>
#include <string>
#include <unistd.h>

int main()
{
	char buffer[2];

	if (read(0, buffer, sizeof(buffer)) != 2)
		return 1;
	std::string all(buffer, 2);
	std::cout << "read: " << all << " and that is all" << std::endl;
	if (buffer[0] == 'x')
		std::cout << all;
#ifdef AGAIN
	std::ostringstream text;
	text << all;
	if (text.str() == "ab")
		return 2;
#endif
	return 0;
}
