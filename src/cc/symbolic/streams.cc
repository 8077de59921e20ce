/*
 * streams.cc - input streams of C++, compiled for symbolic execution and linked into programs that use
 * them.
 *
 * libstdc++ has them compiled, and what its code reads has no labels. Here are the same templates from
 * its headers, instrumented. They have the library's names and stand in the program, so they are taken
 * for the library's everywhere, its tables of virtual functions included. What the headers only declare
 * for char is written out here, as the standard has it (C++17, 21.3.3.9, 30.7.4), and so is the buffer
 * of std::cin, which reads what stdin is now, not what it was when the library was loaded.
 *
 * All that has a name of the library is weak: linked statically, its own may be there, too.
 */
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0

#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

#define WEAK __attribute__((weak))

namespace {

constexpr int END = std::char_traits<char>::eof();

bool is_end(int c)
{
	return c == END;
}

/* From a handler of any exception. */
void fail_in(std::istream &in)
{
	try {
		in.setstate(std::ios_base::badbit);
	} catch (const std::ios_base::failure &) {
	}
	if (in.exceptions() & std::ios_base::badbit)
		throw;
}

/* Takes characters from a stream until `stop` says so, or it ends, or `put` has no room. */
template <class Stop, class Put>
std::ios_base::iostate take(std::istream &in, std::streamsize most, Stop stop, Put put,
			    std::streamsize *taken)
{
	std::streambuf *from = in.rdbuf();
	int c = from->sgetc();

	for (; *taken < most && !is_end(c) && !stop(char(c)); c = from->snextc()) {
		put(char(c));
		++*taken;
	}
	return *taken < most && is_end(c) ? std::ios_base::eofbit : std::ios_base::goodbit;
}

/* The next characters up to white space. */
template <class Put> void take_word(std::istream &in, std::streamsize most, Put put)
{
	std::ios_base::iostate state = std::ios_base::goodbit;
	std::streamsize taken = 0;

	try {
		const auto &type = std::use_facet<std::ctype<char>>(in.getloc());

		state = take(
			in, most, [&](char c) { return type.is(std::ctype_base::space, c); }, put,
			&taken);
		in.width(0);
	} catch (...) {
		fail_in(in);
	}
	if (!taken)
		state |= std::ios_base::failbit;
	if (state)
		in.setstate(state);
}

/* std::cin, as long as it is synchronised with stdin. */
class standard_input : public std::streambuf {
	int last = END;

protected:
	int underflow() override
	{
		int c = std::getc(stdin);

		std::ungetc(c, stdin);
		return c;
	}

	int uflow() override
	{
		return last = std::getc(stdin);
	}

	int pbackfail(int c) override
	{
		int back = is_end(c) ? last : c;

		last = END;
		return is_end(back) ? END : std::ungetc(back, stdin);
	}

	std::streamsize xsgetn(char *s, std::streamsize n) override
	{
		std::streamsize got = std::streamsize(std::fread(s, 1, size_t(n), stdin));

		last = got ? traits_type::to_int_type(s[got - 1]) : END;
		return got;
	}

	int sync() override
	{
		return std::fflush(stdin);
	}

	pos_type seekoff(off_type by, std::ios_base::seekdir from, std::ios_base::openmode) override
	{
		int whence = from == std::ios_base::beg	  ? SEEK_SET
			     : from == std::ios_base::cur ? SEEK_CUR
							  : SEEK_END;

		return fseeko(stdin, by, whence) ? pos_type(off_type(-1)) : pos_type(ftello(stdin));
	}

	pos_type seekpos(pos_type to, std::ios_base::openmode which) override
	{
		return seekoff(off_type(to), std::ios_base::beg, which);
	}
};

struct begin {
	begin()
	{
		static std::ios_base::Init streams;
		static standard_input input;

		std::cin.rdbuf(&input);
	}
} begin_here __attribute__((init_priority(200)));

} // namespace

namespace std {

template <> WEAK istream &operator>>(istream &in, string &s)
{
	istream::sentry ready(in, false);

	if (ready) {
		s.erase();
		take_word(in, in.width() > 0 ? in.width() : streamsize(s.max_size()),
			  [&](char c) { s += c; });
	}
	return in;
}

WEAK void __istream_extract(istream &in, char *s, streamsize room)
{
	istream::sentry ready(in, false);

	if (!ready)
		return;
	if (in.width() > 0 && in.width() < room)
		room = in.width();
	take_word(in, room - 1, [&](char c) { *s++ = c; });
	*s = '\0';
}

template <> WEAK istream &getline(istream &in, string &s, char end)
{
	istream::sentry ready(in, true);
	ios_base::iostate state = ios_base::goodbit;
	streamsize taken = 0;

	if (!ready)
		return in;
	try {
		s.erase();
		state = take(
			in, streamsize(s.max_size()), [&](char c) { return c == end; },
			[&](char c) { s += c; }, &taken);
		if (state || taken == streamsize(s.max_size()))
			state |= taken && state ? ios_base::goodbit : ios_base::failbit;
		else
			in.rdbuf()->sbumpc();
	} catch (...) {
		fail_in(in);
	}
	if (state)
		in.setstate(state);
	return in;
}

template <> WEAK istream &istream::getline(char *s, streamsize room, char end)
{
	ios_base::iostate state = ios_base::goodbit;
	streamsize taken = 0;
	char *to = s;

	_M_gcount = 0;
	sentry ready(*this, true);
	if (ready) {
		try {
			take(
				*this, room - 1, [&](char c) { return c == end; },
				[&](char c) { *to++ = c; }, &taken);
			_M_gcount = taken;
			if (is_end(rdbuf()->sgetc())) {
				state = ios_base::eofbit;
			} else if (rdbuf()->sgetc() == traits_type::to_int_type(end)) {
				rdbuf()->sbumpc();
				_M_gcount++;
			} else {
				state = ios_base::failbit;
			}
		} catch (...) {
			fail_in(*this);
		}
	}
	if (room > 0)
		*to = '\0';
	if (!_M_gcount)
		state |= ios_base::failbit;
	if (state)
		setstate(state);
	return *this;
}

template <> WEAK istream &istream::ignore(streamsize n, int_type end)
{
	ios_base::iostate state = ios_base::goodbit;

	_M_gcount = 0;
	sentry ready(*this, true);
	if (!ready || n <= 0)
		return *this;
	try {
		state = take(
			*this, n, [&](char c) { return traits_type::to_int_type(c) == end; },
			[](char) {}, &_M_gcount);
		if (!state && _M_gcount < n) {
			rdbuf()->sbumpc();
			_M_gcount++;
		}
	} catch (...) {
		fail_in(*this);
	}
	if (state)
		setstate(state);
	return *this;
}

template <> WEAK istream &istream::ignore(streamsize n)
{
	return ignore(n, END);
}

template class basic_streambuf<char>;
template class basic_istream<char>;
template class basic_filebuf<char>;
template class basic_ifstream<char>;
template class basic_stringbuf<char>;
template class basic_istringstream<char>;
template class num_get<char>;
template istream &ws(istream &);
template istream &operator>>(istream &, char &);
template istream &operator>>(istream &, unsigned char &);
template istream &operator>>(istream &, signed char &);

/* What it reads goes into a library that converts it, and is noticed there. */
template class basic_filebuf<wchar_t>;

} // namespace std
