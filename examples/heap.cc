// heap FILE... - bytes that each function allocated, of heap profiles (C++17)
#include <libprof/read.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

struct Leaf { std::string name; uint64_t guid; };
static std::map<uint64_t, Leaf> leaves;		// by id of the stack
static std::map<std::string, uint64_t> sums;

static void add(const prof_item *item, uint64_t guid)
{
	uint64_t id, bytes;

	if (prof_item_number(item, PROF_STACK, &id) &&
	    prof_item_number(item, PROF_MIB_TOTAL_SIZE, &bytes) &&
	    (guid == 0 || guid == leaves[id].guid))
		sums[leaves[id].name] += bytes;
}

static void consider(const prof_item *item)
{
	uint64_t id, guid = 0;

	if (prof_item_kind(item) == PROF_ITEM_PROFILE)
		leaves.clear();
	if (const prof_item *f = prof_item_part(item, PROF_FRAMES, 0)) {
		prof_item_number(f, PROF_GUID, &guid);
		prof_item_number(item, PROF_ID, &id);
		size_t size;
		const char *name = prof_item_bytes(f, PROF_NAME, &size);
		leaves[id] = { name ? std::string(name, size) :
		    "guid " + std::to_string(guid), guid };
	}
	add(item, 0);
	// An inlined call is an allocation site of each function around it.
	prof_item_number(item, PROF_GUID, &guid);
	for (size_t i = 0; i < prof_item_parts(item, PROF_ALLOC_SITES); i++)
		add(prof_item_part(item, PROF_ALLOC_SITES, i), guid);
}

int main(int argc, char **argv)
{
	std::unique_ptr<prof, void (*)(prof *)> p(prof_new(), prof_free);

	for (int i = 1; i < argc && p; i++) {
		prof_input *in = prof_input_open(p.get(), argv[i]);
		const prof_item *item;
		while (in && prof_input_next(in, &item) > 0)
			consider(item);
		if (const prof_problem *e = prof_error(p.get()))
			std::fprintf(stderr, "%s\n", prof_problem_text(e));
		prof_input_close(in);
	}
	for (const auto &[name, bytes] : sums)
		std::printf("%ju %s\n", (uintmax_t)bytes, name.c_str());
}
