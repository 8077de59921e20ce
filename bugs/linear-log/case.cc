/*
 * A map as a log: each change is a record that is appended, and an index in ordinary memory says which
 * record is a key's last one; who opens the map makes the index from the log. The index names a record
 * before the record is durable, and others read it there.
 */
#include "../linear.h"
#include <map>

enum { ROOM = 128 };

struct record {
	uint64_t key, value, seal; // the number of the record, from 1 on: it is complete
	uint64_t pad;
};

struct pool {
	record log[ROOM] LINE;
};

class map_of_log
{
	pool *pm;
	uint64_t n = 0; // records
	std::map<uint64_t, uint64_t> index;

	uint64_t value_at(uint64_t key)
	{
		auto i = index.find(key);

		return i == index.end() ? PD_NONE : pm->log[i->second].value;
	}

	void store(uint64_t key, uint64_t value)
	{
		record &r = pm->log[n];

		r.key = key;
		r.value = value;
		pm_set(&r.seal, n + 1); //@ store
	}

      public:
	explicit map_of_log(const char *path) : pm((pool *)pm_map(path, MAPPED_SIZE(pool)))
	{
		for (uint64_t i = 0; i < ROOM; i++)
			if (pm_get(&pm->log[i].seal) == i + 1) { //@ load
				index[pm->log[i].key] = i;
				n = i + 1;
			}
		busy = 0;
	}
	~map_of_log()
	{
		munmap(pm, MAPPED_SIZE(pool));
	}

	uint64_t get(uint64_t key)
	{
		lock();
		uint64_t value = value_at(key);
		unlock();
		return value;
	}

	// PD_NONE as a value: removed.
	uint64_t put(uint64_t key, uint64_t value)
	{
		lock();
		if (n == ROOM) {
			unlock();
			return PD_FAILED;
		}
		uint64_t old = value_at(key), at = n;
		store(key, value);
#if FIXED
		pm_persist(&pm->log[at], sizeof(record));
#endif
		index[key] = at;
		n++;
		unlock();
#if !FIXED
		pm_persist(&pm->log[at], sizeof(record));
#endif
		return old;
	}
};

static void *open_it(const char *path)
{
	return new map_of_log(path);
}

static void close_it(void *it)
{
	delete (map_of_log *)it;
}

static void put(void *it, struct pd_linear_op *op)
{
	pd_linear_return(op, ((map_of_log *)it)->put(op->arg[0].word, op->arg[1].word));
}

static void get(void *it, struct pd_linear_op *op)
{
	pd_linear_return(op, ((map_of_log *)it)->get(op->arg[0].word));
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	pd_linear_return(op, ((map_of_log *)it)->put(op->arg[0].word, PD_NONE));
}

static const struct pd_linear_entry table[] = {{"put", {PD_NEW_KEY, PD_VALUE}, put, PD_MAY_FAIL},
					       {"get", {PD_ANY_KEY}, get, 0},
					       {"remove", {PD_OLD_KEY}, remove_key, PD_MAY_FAIL},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_it, close_it)
