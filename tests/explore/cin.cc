// cin.cc - standard input in the ways of C++, by number: the argument says which.
#include <cstdlib>
#include <iostream>
#include <string>

static void number()
{
	int x;

	if (!(std::cin >> x))
		std::cout << "no number\n";
	else if (x == 42)
		std::cout << "it is " << x << "\n";
}

static void line()
{
	std::string s;

	std::getline(std::cin, s);
	if (s == "ab")
		std::cout << s << std::endl;
	else if (s.size() == 3)
		std::cout << "three\n";
}

static void characters()
{
	int depth = 0;
	char c;

	while (std::cin.get(c))
		depth += c == '(' ? 1 : c == ')' ? -1 : 0;
	if (depth == 2)
		std::cout << "deep\n";
}

static void unsynchronised()
{
	std::string word;

	std::ios::sync_with_stdio(false);
	std::cin >> word;
	if (word == "q")
		std::cout << "quit\n";
}

int main(int, char **argv)
{
	static void (*const way[])() = {number, line, characters, unsynchronised};

	way[std::atoi(argv[1])]();
	return 0;
}
