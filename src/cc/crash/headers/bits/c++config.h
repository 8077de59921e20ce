/*
 * c++config.h - libstdc++'s own, but std::string is compiled with the program.
 *
 * The library contains a compiled copy and its headers declare that; that copy reads PM unseen, and
 * does not handle labels. -1 is libstdc++'s value for "all but strings".
 */
#include_next <bits/c++config.h>

#if _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
