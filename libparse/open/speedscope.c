#include "open/speedscope.h"

#include "base/json.h"

bool tp_speedscope_is(struct tp_scan text)
{
	static const char *const members[] = {"exporter", "name",   "activeProfileIndex",
					      "version",  "shared", "profiles"};
	struct tp_json all = tp_json(text.at, tp_scan_left(&text));
	struct tp_json_walk w = tp_json_walk(all);

	if (all.at == all.end || *all.at != '{')
		return false;
	while (tp_json_next(&w)) {
		struct tp_scan value = {w.value.at, w.value.end};
		bool known = false;

		/* PHP writes https:\/\/www.speedscope.app\/file-format-schema.json. */
		if (tp_json_is(w.key, "$schema"))
			return tp_scan_find(value, "www.speedscope.app") &&
			       tp_scan_find(value, "/file-format-schema.json\"");
		for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
			known |= tp_json_is(w.key, members[i]);
		if (!known)
			return false;
	}
	return false;
}
