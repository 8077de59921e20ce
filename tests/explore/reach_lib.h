/* reach_lib.h - a library that is given PM, and memory that is none. */
#ifndef REACH_LIB_H
#define REACH_LIB_H

void library_store(char *to, char c);
void library_note(char *to, char c);

#endif
