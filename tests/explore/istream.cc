// istream.cc - what input streams answer to random calls on random text: the same, whoever compiled them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>

static unsigned long seed, digest = 1469598103934665603ul;

static unsigned draw(unsigned n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return unsigned(seed >> 33) % n;
}

static void note(const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		digest = (digest ^ static_cast<const unsigned char *>(p)[i]) * 1099511628211ul;
}

static void note(long v)
{
	note(&v, sizeof(v));
}

static std::string draw_text()
{
	static const char letters[] = "aab  \n\t,,0127-+x\xff";
	std::string s;

	for (unsigned n = draw(24); n; n--)
		s += letters[draw(sizeof(letters))];
	return s;
}

static void call(std::istream &in)
{
	char line[16];
	std::string s = "before";
	int x = -7;

	std::memset(line, '?', sizeof(line));
	switch (draw(14)) {
	case 0: std::getline(in, s); break;
	case 1: std::getline(in, s, ','); break;
	case 2: in.getline(line, long(draw(8))); break;
	case 3: in.getline(line, long(1 + draw(8)), ','); break;
	case 4: in.ignore(long(draw(6))); break;
	case 5: in.ignore(long(draw(9)), ','); break;
	case 6: in.ignore(std::numeric_limits<std::streamsize>::max(), draw(2) ? '\n' : -1); break;
	case 7: in.width(long(draw(4))); in >> s; break;
	case 8: in.width(long(1 + draw(6))); in >> line; break;
	case 9: in >> x; break;
	case 10: x = in.get(); break;
	case 11: in.read(line, long(draw(9))); break;
	case 12: in.unget(); break;
	default: in >> std::ws; x = in.peek(); break;
	}
	note(line, sizeof(line));
	note(s.data(), s.size());
	note(x);
	note(in.gcount());
	note(in.rdstate());
	note(in.width());
	if (draw(3) == 0)
		in.clear();
}

int main(int argc, char **argv)
{
	for (long i = 0, n = argc > 1 ? std::atol(argv[1]) : 1000; i < n; i++) {
		std::istringstream text;

		seed = unsigned(i) * 2654435761u;
		text.str(draw_text());
		if (draw(4) == 0)
			text.exceptions(std::ios_base::failbit | std::ios_base::badbit);
		for (int k = 0; k < 8; k++)
			try {
				call(text);
			} catch (const std::ios_base::failure &) {
				note(99);
				text.clear();
			}
		if (draw(8) == 0) {
			text.exceptions(std::ios_base::goodbit);
			text.clear();
			text.seekg(0);
			call(text);
		}
	}
	/* Standard input, too */
	for (int k = 0; k < 40; k++)
		call(std::cin);
	std::printf("%lx\n", digest);
	return 0;
}
