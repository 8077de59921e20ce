// local.cc - an object of each thread's own, whose destructor gives memory back.
#include <stdlib.h>

namespace {
struct Local {
	char *p = static_cast<char *>(malloc(50));
	~Local() { free(p); }
};
thread_local Local local;
}

extern "C" void touch_local()
{
	local.p[0] = 1;
}
