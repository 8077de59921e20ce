/* name_test.c - names of functions without what only a compiler needs. */
#include "event/name.h"
#include "unit/unit.h"

static void plain(void **state)
{
	static const char *const names[][2] = {
		{"main", "main"},
		{"libx.so.1+0x123", "libx.so.1+0x123"},
		{"put.isra.0", "put"},
		{"put.constprop.2.isra.0", "put"},
		{"put.part.0.cold", "put"},
		{"put(int) [clone .isra.0]", "put"},
		{"put[abi:cxx11](int)", "put"},
		{"(anonymous namespace)::put(void const*, unsigned long)",
		 "(anonymous namespace)::put"},
		{"a::(anonymous namespace)::Map<int>::put(int) const",
		 "a::(anonymous namespace)::Map::put"},
		{"void a::B<std::pair<unsigned long, int> >::put<char>(char) const &", "a::B::put"},
		{"unsigned long f<1>(void (*)(int))", "f"},
		{"std::enable_if<(1)>(2), int>::type f<int>(int)", "f"},
		{"decltype (g((A)1)->x) f<int>(int)", "f"},
		{"f(int) const::{lambda(int)#1}::operator()(int) const", "f::{lambda}"},
		{"f(int)::$_0::operator()(int) const", "f::{lambda}"},
		{"auto f()::'lambda0'(auto)::operator()<int>(int) const", "f::{lambda}"},
		{"f::<lambda(const char*)>::operator()", "f::{lambda}"},
		{"A::operator()(int) const", "A::operator()"},
		{"A::operator[](unsigned long)", "A::operator[]"},
		{"A::operator bool() const", "A::operator bool"},
		{"A::operator->() const", "A::operator->"},
		{"bool operator< <int>(int, int)", "operator<"},
		{"std::ostream& operator<< <char>(std::ostream&, char)", "operator<<"},
		{"A operator+<int>(A, A)", "operator+"},
		{"bool A::operator<=>(A const&)", "A::operator<=>"},
		{"operator new(unsigned long)", "operator new"},
		{"non-virtual thunk to A::f()", "A::f"},
		{"A::~A()", "A::~A"},
		{"operators(int)", "operators"},
		/* cut off, or no name at all */
		{"a::B<int", "a::B"},
		{"f(", "f"},
		{"(", ""},
		{"", ""},
	};
	char buf[PD_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < PD_LEN(names); i++) {
		assert_int_equal(pd_name_plain(names[i][0], buf, sizeof(buf)), strlen(names[i][1]));
		assert_string_equal(buf, names[i][1]);
		/* a plain name is plain */
		pd_name_plain(names[i][1], buf, sizeof(buf));
		assert_string_equal(buf, names[i][1]);
	}
}

static void fits(void **state)
{
	char buf[4] = "xyz";

	(void)state;
	assert_int_equal(pd_name_plain("abcdef", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "abc");
	assert_int_equal(pd_name_plain("abcdef", buf, 1), 0);
	assert_string_equal(buf, "");
	assert_int_equal(pd_name_plain("abcdef", buf, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
