/*
 * c++config.h - libstdc++'s own, but that std::string is compiled with the program.
 *
 * The library has it compiled and says so in its headers; what it does there with the bytes of a string
 * follows no labels. -1 is libstdc++'s value for "all but strings".
 */
#include_next <bits/c++config.h>

#if _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
