// redirect.cc - gives std::cout another buffer; with streams.cc
#include <iostream>

std::streambuf *lead(std::streambuf *to)
{
	return std::cout.rdbuf(to);
}
