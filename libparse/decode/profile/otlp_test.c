/* OpenTelemetry's profiles. Most cases are JSON, which is translated to protocol buffers and read as such;
 * ' stands for ". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/wire.h"
#include "decode/profile/kinds.h"
#include "decode/profile/testing.h"

/* A message of some profiles; the rest of the dictionary follows the strings. */
#define STRINGS "'stringTable':['','cpu','ns','f','g','k','v','By','a.c','_Z1hi','lib','id']"
#define OF(profiles, tables)                                                                       \
	"{'resourceProfiles':[{'scopeProfiles':[{'profiles':[" profiles                            \
	"]}]}],'dictionary':{" STRINGS tables "}}"
#define CPU	    "'sampleType':{'typeStrindex':1,'unitStrindex':2}"
#define ONE(sample) OF("{" CPU ",'samples':[" sample "]}", STACKS)
#define STACKS                                                                                     \
	",'functionTable':[{},{'nameStrindex':3},{'nameStrindex':4,'filenameStrindex':8}]"         \
	",'locationTable':[{},{'lines':[{'functionIndex':1}]},"                                    \
	"{'address':'4096','lines':[{'functionIndex':2,'line':'7'},{'functionIndex':1}]}]"         \
	",'stackTable':[{},{'locationIndices':[1,2]},{'locationIndices':[2]}]"
#define TWO_MAPPINGS                                                                               \
	OF("{" CPU ",'samples':[{'values':[1]}]}",                                                 \
	   ",'mappingTable':[{},{'memoryStart':1,'memoryLimit':2,'filenameStrindex':10},"          \
	   "{'memoryStart':3,'memoryLimit':4,'filenameStrindex':10}]")
#define COMMIT                                                                                     \
	"; tprof reads OpenTelemetry profiles in the layout of opentelemetry-proto at commit "     \
	"ac2c4b5\n"

static const struct {
	const char *story, *json, *shows;
} cases[] = {
    {"values, times, both, and several values without times, which are a sum",
     ONE("{'stackIndex':1,'values':['-5']},{'stackIndex':2,'timestampsUnixNano':['3','4']},"
	 "{'values':[7,'8'],'timestampsUnixNano':['18446744073709551615',1]},{'values':[1,2,3]}"),
     "cpu/ns per / 0\n"
     "-5: f < 0x1000 g@a.c:7+f\n"
     "1: 0x1000 g@a.c:7+f {time=3}\n"
     "1: 0x1000 g@a.c:7+f {time=4}\n"
     "7 {time=-1}\n"
     "8 {time=1}\n"
     "6\n"},
    {"neither values nor times; other numbers of them; more than 64 bits",
     ONE("{'stackIndex':1},{'values':[1,2],'timestampsUnixNano':['1']},"
	 "{'values':['9223372036854775807',1]},{'values':[2]}"),
     "cpu/ns per / 0\n"
     "2\n"
     "lost a sample has neither values nor times\n"
     "lost a sample has other numbers of values and of times\n"
     "lost the values of a sample do not fit 64 bits\n"},
    {"profiles of other types of the same samples; equal samples of one profile stay apart",
     OF("{" CPU ",'samples':[{'stackIndex':2,'values':[1]},{'values':[2]},{'values':[3]}]},"
	"{'sampleType':{'typeStrindex':5},'samples':[{'values':[20]},{'stackIndex':2,'values':[10]}"
	","
	"{'stackIndex':1,'values':[40]}]}",
	STACKS),
     "cpu/ns k/ per / 0\n"
     "1 10: 0x1000 g@a.c:7+f\n"
     "2 0\n"
     "3 20\n"
     "0 40: f < 0x1000 g@a.c:7+f\n"},
    {"attributes of every kind, of profiles and samples; an empty one is none",
     OF("{" CPU
	",'attributeIndices':[1],'samples':[{'values':[1],'attributeIndices':[0,2,3,4,5,6,7]}],"
	"'periodType':{'typeStrindex':1,'unitStrindex':2},'period':'9'}",
	",'attributeTable':[{},{'keyStrindex':5,'value':{'stringValueStrindex':6}},"
	"{'keyStrindex':3,'value':{'intValue':'-3'},'unitStrindex':7},"
	"{'keyStrindex':3,'value':{'boolValue':false}},{'keyStrindex':4,'value':{'doubleValue':1e-"
	"3}},"
	"{'keyStrindex':8,'value':{'bytesValue':'AP8='}},{'keyStrindex':10,'value':{'stringValue':'"
	"'}},"
	"{'keyStrindex':11,'value':{'kvlistValue':{'values':[{'key':'a','value':{'arrayValue':"
	"{'values':[{'stringValue':'x\\\\'},{},{'arrayValue':{}}]}}},{'keyStrindex':5,"
	"'value':{'bytesValue':'AA'}}]}}}]"),
     "cpu/ns per cpu/ns 9\n"
     "1 {a.c=00ff; f=false; g=0.001; id={\"a\":[\"x\\\\\",null,[]],\"k\":\"00\"}; k=v; f=-3}\n"},
    {"links: ids in hexadecimal; zeros, and none, are none",
     OF("{" CPU ",'samples':[{'values':[1],'linkIndex':1},{'values':[2],'linkIndex':2},"
	"{'values':[3],'linkIndex':0}]}",
	",'linkTable':[{'traceId':'00000000000000000000000000000000','spanId':''},"
	"{'traceId':'0123456789abcdef0123456789ABCDEF','spanId':'fedcba9876543210'},"
	"{'spanId':'0000000000000001'}]"),
     "cpu/ns per / 0\n"
     "1 {span_id=fedcba9876543210; trace_id=0123456789abcdef0123456789abcdef}\n"
     "2 {span_id=0000000000000001}\n"
     "3\n"},
    {"resources; scopes; what pprof has as fields",
     "{'resourceProfiles':[{'resource':{'attributes':[{'key':'service.name','value':{'stringValue':"
     "'shop'}},{'key':'pid','value':{'intValue':7}}]},'scopeProfiles':[{'scope':{'name':'otel',"
     "'version':'1','attributes':[{'key':'pprof.scope.default_sample_type','value':{'stringValue':"
     "'cpu'}}]},'profiles':[{" CPU ",'attributeIndices':[1],'samples':[{'values':[1]}]}]}]},{"
     "'scopeProfiles':[{'profiles':[{" CPU ",'samples':[{'values':[2]}]}]}]}],'dictionary':{"
     "'stringTable':['','cpu','ns','pprof.profile.comment','made'],'attributeTable':[{},"
     "{'keyStrindex':3,'value':{'stringValueStrindex':4}}]}}",
     "cpu/ns per / 0\n"
     "1 {service.name=shop; pid=7}\n"
     "2\n"
     "comment otel 1\n"
     "comment made\n"},
    {"mappings with build ids; a mangled name; code without names; the entry 0 is used as it is",
     OF("{" CPU ",'samples':[{'values':[1],'stackIndex':1}]}",
	",'attributeTable':[{},{'keyStrindex':12,'value':{'stringValue':'go'}},{'keyStrindex':13,"
	"'value':{'stringValue':'gnu'}}],'mappingTable':[{},{'memoryStart':'4096','memoryLimit':"
	"'18446744073709551615','fileOffset':'1','filenameStrindex':10,'attributeIndices':[1,2]}],"
	"'functionTable':[{'nameStrindex':9}],'locationTable':[{'lines':[{}]},{'mappingIndex':1,"
	"'address':'4097'}],'stackTable':[{},{'locationIndices':[0,1]}],'stringTable':["
	"'process.executable.build_id.go','process.executable.build_id.gnu']"),
     "cpu/ns per / 0\n"
     "1: _Z1hi < 0x1001#1\n"
     "map 1000-ffffffffffffffff 1 lib gnu\n"},
    {"lines: each has its dictionary; empty ones; one that is cut off",
     OF("{" CPU ",'samples':[{'values':[1],'stackIndex':1}]}",
	STACKS) "\n\n"
		"{'dictionary':{'stringTable':['','ns','cpu']},'resourceProfiles':[{'scopeProfiles'"
		":[{"
		"'profiles':[{'sampleType':{'typeStrindex':2,'unitStrindex':1},'samples':[{'values'"
		":[2]}]}]}]}]}\n"
		"{'resourceProfiles':[]}\n"
		"{'resourceProfiles':[{'scopePro",
     "cpu/ns per / 0\n"
     "1: f < 0x1000 g@a.c:7+f\n"
     "2\n"
     "lost line 5 ends within a string\n"},
    {"lines that are not profiles",
     "\xef\xbb\xbf\n" OF("{" CPU ",'samples':[{'values':[1]}]}",
			 "") "\n{}\ngarbage\n{'resourceLogs':[]}\n{'dictionary':{}}\n",
     "cpu/ns per / 0\n"
     "1\n"
     "lost line 4 is not JSON\n"
     "lost line 5 is not OpenTelemetry's profiles\n"},
    {"one message on several lines, after an empty one",
     "\n{\n 'resourceProfiles': [\n  {'scopeProfiles': [{'profiles': [{" CPU
     ",\n'samples':[{'values':[2]}]}]}]}],\n 'dictionary': {" STRINGS "}\n}\n",
     "cpu/ns per / 0\n2\n"},
    {"two mappings of a file, in two messages", TWO_MAPPINGS "\n" TWO_MAPPINGS,
     "cpu/ns per / 0\n1\n1\nmap 1-2 0 lib \nmap 3-4 0 lib \n"},
    {"attributes of a sample of JSON, without values",
     ONE("{'attributeIndices':[0]},{'values':[1]}"),
     "cpu/ns per / 0\n1\nlost a sample has neither values nor times\n"},
    {"fields of resources that the schema lacks are passed over",
     "{'resourceProfiles':[{'mood':{'a':[1]},'scopeProfiles':[{'profiles':[{" CPU
     ",'samples':[{'values':[2]}]}]}]}],'dictionary':{" STRINGS "}}",
     "cpu/ns per / 0\n2\n"},
    {"an index beyond its table", ONE("{'stackIndex':3,'values':[1]}"),
     "error -5: Sample.stack_index is 3, but stack_table has 3 entries" COMMIT},
    {"a negative one", ONE("{'attributeIndices':[-1],'values':[1]}"),
     "error -5: Sample.attribute_indices is -1, but attribute_table has 0 entries" COMMIT},
    {"a string", OF("{'sampleType':{'typeStrindex':99}}", ""),
     "error -5: ValueType.type_strindex is 99, but string_table has 12 entries" COMMIT},
    {"ranges of locations, of before 2025-08-27",
     ONE("{'locationsStartIndex':0,'locationsLength':2,'values':[1]}"),
     "error -5: line 1: Sample has the unknown field \"locationsStartIndex\"" COMMIT},
    {"names of before 2025-09-05", OF("{" CPU ",'sample':[{'value':[1]}]}", ""),
     "error -5: line 1: Profile has the unknown field \"sample\"" COMMIT},
    {"several sample types in a profile, of before 2025-07-02",
     OF("{'sampleType':[{'typeStrindex':1}]}", ""),
     "error -5: line 1: Profile.sample_type is not an object" COMMIT},
    {"no dictionary", "{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{}]}]}]}",
     "error -5: ProfilesData.dictionary is missing: these are spans, metrics or logs, or profiles "
     "of "
     "an older layout" COMMIT},
    {"a string table that does not begin with the empty string",
     "{'resourceProfiles':[],'dictionary':{'stringTable':['a']}}",
     "error -5: ProfilesDictionary.string_table does not begin with the empty string" COMMIT},
    {"an id of another size", OF("{" CPU "}", ",'linkTable':[{'traceId':'0102'}]"),
     "error -5: Link.trace_id has 2 bytes, not 16" COMMIT},
    {"an id that is not hexadecimal", OF("{" CPU "}", ",'linkTable':[{'spanId':'0g'}]"),
     "error -5: line 1: Link.span_id is not hexadecimal" COMMIT},
    {"another one", OF("{" CPU "}", ",'linkTable':[{'spanId':'g0'}]"),
     "error -5: line 1: Link.span_id is not hexadecimal" COMMIT},
    {"a number beyond its type", ONE("{'values':['18446744073709551615']}"),
     "error -5: line 1: Sample.values is not a number of 64 bits" COMMIT},
    {"a negative number of a type without sign",
     OF("{" CPU "}", ",'mappingTable':[{'memoryStart':-1}]"),
     "error -5: line 1: Mapping.memory_start is not a number of 64 bits" COMMIT},
    {"a text for a number", ONE("{'values':['many']}"),
     "error -5: line 1: Sample.values is not a number of 64 bits" COMMIT},
    {"nothing but damage", "{'resourceProfiles':[}",
     "error -3: nothing of the profile can be read: line 1 is not JSON at this place\n"},
};

static char *with_quotes(const char *json)
{
	char *text = strdup(json);

	assert_non_null(text);
	for (char *at = text; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	return text;
}

static void test_otlp_json(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = with_quotes(cases[i].json);
		char *shown = show_read(text, strlen(text), false);

		if (strcmp(shown, cases[i].shows) != 0)
			fail_msg("%s:\n%s\ninstead of:\n%s", cases[i].story, shown, cases[i].shows);
		free(shown);
		free(text);
	}
}

/* Messages as bytes: P is a Profile, D a dictionary of the strings "" and "cpu". */
#define D                                                                                          \
	"\x12\x07\x2a\x00\x2a\x03"                                                                 \
	"cpu"

static const struct {
	const char *story, *bytes;
	size_t size;
	const char *shows;
} messages[] = {
#define BYTES(text) text, sizeof(text) - 1
    {"a message, dictionary last",
     BYTES("\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x05" D), "cpu/ per / 0\n5\n"},
    {"dictionary first", BYTES(D "\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x05"),
     "cpu/ per / 0\n5\n"},
    {"two, one after the other",
     BYTES("\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x05" D
	   "\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x06" D),
     "cpu/ per / 0\n5\n6\n"},
    {"two behind their sizes",
     BYTES("\0\0\0\x18\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x05" D "\0\0\0\x18" D
	   "\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x06"),
     "cpu/ per / 0\n5\n6\n"},
    {"the second is cut off",
     BYTES("\0\0\0\x18\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x05" D "\0\0\0\x18" D
	   "\x0a\x0d"),
     "cpu/ per / 0\n5\nlost the last message is cut off\n"},
    {"compressed, and damaged", BYTES("\0\0\0\x08\x28\xb5\x2f\xfd\x20\x05\x01\x02"),
     "error -3: nothing of the profile can be read: a message is compressed and damaged\n"},
    {"compressed to more than a small file may become",
     BYTES("\0\0\0\x0d\x28\xb5\x2f\xfd\xe0\0\0\0\0\x01\0\0\0"),
     "error -6: its messages unpack to more than 100 times its size, as a decompression bomb "
     "does\n"},
    {"only the second is JSON; an empty one; JSON that is not of profiles; an empty object",
     BYTES("\0\0\0\0\0\0\0\x18\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x05" D
	   "\0\0\0\x17{\"resourceProfiles\":[]}\0\0\0\x13{\"resourceLogs\":[]}\0\0\0\x02{}"),
     "cpu/ per / 0\n5\nlost a message is not OpenTelemetry's profiles\n"},
    {"JSON behind its size", BYTES("\0\0\0\x17{\"resourceProfiles\":[]}x"),
     "error -3: nothing of the profile can be read: the last message is cut off\n"},
    {"the dictionary is whole, and one of two resources",
     BYTES(D "\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x05"
	     "\x0a\x0d\x12\x0b\x12\x09"),
     "cpu/ per / 0\n5\nlost the profile is cut off or damaged\n"},
    {"cut off before the dictionary",
     BYTES("\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x05\x12\x09\x2a"),
     "error -3: nothing of the profile can be read: the profile is cut off before its dictionary, "
     "which has its stacks and names\n"},
    {"samples with ranges of locations",
     BYTES("\x0a\x11\x12\x0f\x12\x0d\x0a\x02\x08\x01\x12\x07\x10\x02\x1a\x03\x01\x02\x03" D),
     "error -5: Sample.attribute_indices is 2, but attribute_table has 0 entries" COMMIT},
    {"their values",
     BYTES("\x0a\x0f\x12\x0d\x12\x0b\x0a\x02\x08\x01\x12\x05\x08\x00\x1a\x01\x05" D),
     "error -5: Sample.link_index is text or a list, not a number" COMMIT},
    {"link_index of before v1.10",
     BYTES("\x0a\x0e\x12\x0c\x12\x0a\x0a\x02\x08\x01\x12\x04\x08\x00\x20\x01" D),
     "error -5: Sample.values is one number, as link_index was before v1.10" COMMIT},
    {"values alone of before v1.10",
     BYTES("\x0a\x0f\x12\x0d\x12\x0b\x0a\x02\x08\x01\x12\x05\x08\x00\x12\x01\x00" D),
     "error -5: Sample has attributes, but neither values nor times, as before v1.10" COMMIT},
    {"a field of the time before",
     BYTES("\x0a\x0f\x12\x0d\x12\x0b\x0a\x02\x08\x01\x12\x05\x32\x03\x01\x02\x03" D),
     "error -5: Sample has the unknown field 6" COMMIT},
    {"a list that is damaged",
     BYTES("\x0a\x0d\x12\x0b\x12\x09\x0a\x02\x08\x01\x12\x03\x22\x01\x80" D),
     "error -5: Sample.values is not a list of numbers" COMMIT},
    {"times of seven bytes",
     BYTES("\x0a\x13\x12\x11\x12\x0f\x0a\x02\x08\x01\x12\x09\x2a\x07"
	   "1234567" D),
     "error -5: Sample.timestamps_unix_nano is not a list of numbers" COMMIT},
    {"a message that is damaged", BYTES("\x0a\x0a\x12\x08\x12\x06\x0a\x02\x08\x01\x12\x7f" D),
     "error -5: Profile has bytes that are not one of its fields" COMMIT},
};

static void test_otlp_messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		char *shown = show_read(messages[i].bytes, messages[i].size, false);

		if (strcmp(shown, messages[i].shows) != 0)
			fail_msg("%s:\n%s\ninstead of:\n%s", messages[i].story, shown,
				 messages[i].shows);
		free(shown);
	}
}

/* Values in values, deeper than the schema is read. */
static void test_otlp_depth(void **state)
{
	static const size_t depths[] = {12, 40, 3000};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct tp_buf json = {0};
		char *shown, *text;

		say(&json, "%s",
		    "{'resourceProfiles':[{'resource':{'attributes':[{'key':'k','value':");
		for (size_t k = 0; k < depths[i]; k++)
			say(&json, "{'arrayValue':{'values':[");
		say(&json, "{'boolValue':true}");
		for (size_t k = 0; k < depths[i]; k++)
			say(&json, "]}}");
		say(&json, "}]},'scopeProfiles':[{'profiles':[{'samples':[{'values':[1]}]}]}]}],");
		say(&json, "'dictionary':{'stringTable':['']}}");
		tp_buf_put(&json, "", 1);
		text = with_quotes((char *)json.data);
		shown = show_read(text, strlen(text), false);
		if (!i)
			assert_string_equal(shown,
					    "/ per / 0\n1 {k=[[[[[[[[[[[[true]]]]]]]]]]]]}\n");
		else
			assert_memory_equal(shown, "error -3: ", 10);
		free(shown);
		free(text);
		tp_buf_release(&json);
	}
}

/* Damage of any byte: no crash, and no index beyond its table. */
static void test_otlp_any_byte(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x07, 0x0a, 0x7f, 0x80, 0xff};

	(void)state;
	for (size_t m = 0; m < 4; m++) {
		uint8_t *copy = malloc(messages[m].size);

		assert_non_null(copy);
		memcpy(copy, messages[m].bytes, messages[m].size);
		for (size_t i = 0; i < messages[m].size * sizeof(values); i++) {
			size_t at = i / sizeof(values);

			copy[at] = values[i % sizeof(values)];
			free(show_read(copy, messages[m].size, false));
			free(show_read(copy, at, true));
			copy[at] = (uint8_t)messages[m].bytes[at];
		}
		free(copy);
	}
}

/* The notice names the first field that the schema lacks. */
static void test_otlp_unknown(void **state)
{
	char *text = with_quotes(
	    "{'resourceProfiles':[{'mood':1,'resource':{'x':2},'scopeProfiles':[{'profiles':[{" CPU
	    ",'samples':[{'values':[2]}]}]}]}],'dictionary':{" STRINGS "}}");
	struct tp_profile_options opt = {0};
	struct tp_profile *p;
	struct tp_err err = {0};

	(void)state;
	assert_int_equal(tp_profile_read(text, strlen(text), &opt, &p, &err), 0);
	assert_int_equal(p->nnotices, 1);
	assert_string_equal(p->notices[0].text,
			    "fields that opentelemetry-proto did not have at commit ac2c4b5 are "
			    "not read: 2, first ResourceProfiles, field \"mood\"");
	tp_profile_free(p);
	free(text);
}

/* A resource of many attributes, a sample at many times. */
static void test_otlp_resource(void **state)
{
	struct tp_profile_options opt = {0};
	struct tp_buf m = {0}, resource = {0}, sample = {0}, times = {0}, profile = {0};
	struct tp_profile *p;
	struct tp_err err = {0};

	(void)state;
	for (char i = 0; i < 40; i++) {
		const char pair[] = {0x0a, 1, (char)('A' + i), 0x12, 3, 0x0a, 1, 'v'};

		tp_wire_put_bytes(&resource, 1, pair, sizeof(pair));
	}
	for (uint64_t i = 1; i <= 80000; i++)
		tp_buf_put(&times, &i, sizeof(i));
	tp_wire_put_bytes(&sample, 5, times.data, times.size);
	tp_wire_put_bytes(&profile, 2, sample.data, sample.size);
	times.size = sample.size = 0;
	tp_wire_put_bytes(&times, 2, profile.data, profile.size);
	tp_wire_put_bytes(&sample, 1, resource.data, resource.size);
	tp_wire_put_bytes(&sample, 2, times.data, times.size);
	tp_wire_put_bytes(&m, 1, sample.data, sample.size);
	tp_buf_put(&m, D, sizeof(D) - 1);
	assert_int_equal(tp_profile_read(m.data, m.size, &opt, &p, &err), 0);
	assert_int_equal(p->nsamples, 80000);
	tp_profile_free(p);
	tp_buf_release(&m);
	tp_buf_release(&resource);
	tp_buf_release(&sample);
	tp_buf_release(&times);
	tp_buf_release(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_otlp_json),	 cmocka_unit_test(test_otlp_messages),
	    cmocka_unit_test(test_otlp_depth),	 cmocka_unit_test(test_otlp_any_byte),
	    cmocka_unit_test(test_otlp_unknown), cmocka_unit_test(test_otlp_resource),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
