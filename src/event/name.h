/*
 * name.h - the short name of a function: a::B::put.
 *
 * Demanglers and debuggers print more, and differ in what: parameters, what a template returns,
 * arguments of templates (unsigned long, or long unsigned int), qualifiers, which copy of a
 * function the optimiser has made (put.isra.0, [clone .part.3]), the number of a lambda. All of
 * that is removed, so that one function has one name, whatever compiled it and whatever reads the
 * symbols:
 *
 *	void a::B<int>::put<char>(char) const	a::B::put
 *	(anonymous namespace)::put(int)		(anonymous namespace)::put
 *	f(int)::{lambda(int)#1}::operator()(int) const	f::{lambda}
 *	f(int)::$_0::operator()(int) const	f::{lambda}
 *
 * Precision lost: overloads and instances of a template have the same name; lines distinguish them.
 */
#ifndef PD_EVENT_NAME_H
#define PD_EVENT_NAME_H

#include "base/types.h"

enum { PD_NAME_MAX = 256 };

/*
 * Writes at most n-1 bytes and a '\0'; returns how many. What is not understood, or does not fit,
 * is cut off.
 */
size_t pd_name_plain(const char *name, char *buf, size_t n);

#endif
