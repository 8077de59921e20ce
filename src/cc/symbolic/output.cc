/*
 * output.cc - whether what is put into a stream leaves the program; linked into programs as streams.cc is.
 *
 * std::cout, std::cerr and std::clog lead to stdout and stderr until the program gives them another
 * buffer, which it may read. Only the buffer shows that: any code can set it.
 */
#include <cstdio>
#include <ext/stdio_filebuf.h>
#include <ext/stdio_sync_filebuf.h>
#include <iostream>

extern "C" bool __pd_sym_leads_out(const std::ostream *to);

/* The two buffers that the library makes: before and after sync_with_stdio(false). */
static std::FILE *file_of(std::streambuf *buffer)
{
	auto *synced = dynamic_cast<__gnu_cxx::stdio_sync_filebuf<char> *>(buffer);
	auto *own = dynamic_cast<__gnu_cxx::stdio_filebuf<char> *>(buffer);

	return synced ? synced->file() : own ? own->file() : nullptr;
}

bool __pd_sym_leads_out(const std::ostream *to)
{
	std::FILE *file = nullptr;

	if (to == &std::cout || to == &std::cerr || to == &std::clog)
		file = file_of(to->rdbuf());
	return file && (file == stdout || file == stderr);
}
