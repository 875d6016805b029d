"""Profiles as OpenTelemetry has them: profile.proto files are converted, and everything that tprof says of
both must be equal: stacks and totals of every sample type, functions with lines, labels.

    testdata/check/otlp.py BIN_FOLDER SCHEMA PROFILE ...

SCHEMA is a checkout of opentelemetry-proto; protoc and python3-protobuf make classes of it, so the encoder
is not ours. Each profile is converted to one message, and to several with their sizes before them, as the
Collector's file exporter writes them. Ends with 77 where schema, protoc or python3-protobuf is missing.
"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile


def numbers(data):
    """The numbers of a packed list."""
    out, v, shift = [], 0, 0
    for b in data:
        v |= (b & 127) << shift
        shift += 7
        if b < 128:
            out.append(v)
            v = shift = 0
    return out


def fields(data):
    """The fields of a message: number, and bytes or a number."""
    at = 0

    def varint():
        nonlocal at
        v = shift = 0
        while True:
            b = data[at]
            at += 1
            v |= (b & 127) << shift
            shift += 7
            if b < 128:
                return v

    while at < len(data):
        tag = varint()
        if tag & 7 == 2:
            n = varint()
            yield tag >> 3, data[at:at + n]
            at += n
        elif tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            at += {1: 8, 5: 4}[tag & 7]


def message(data, lists=()):
    """The fields of a message by number; those in `lists` are lists of numbers."""
    out = {}
    for number, v in fields(data):
        if number in lists:
            out.setdefault(number, []).extend([v] if isinstance(v, int) else numbers(v))
        else:
            out[number] = v
    return out


def many(data, number):
    return [v for n, v in fields(data) if n == number]


def signed(v):
    return v - (1 << 64) if v >> 63 else v


class Table:
    """A table of the dictionary: its first entry is empty, and equal entries are one."""

    def __init__(self, entries):
        self.entries, self.at = entries, {}
        entries.add()

    def put(self, entry):
        key = entry.SerializeToString(deterministic=True)
        if key not in self.at:
            self.at[key] = len(self.entries)
            self.entries.add().CopyFrom(entry)
        return self.at[key]


def convert(pprof, pb, samples):
    """A ProfilesData of those samples of a profile.proto: a Profile for each sample type."""
    strings = many(pprof, 6)
    out = pb.ProfilesData()
    d = out.dictionary
    d.string_table.append("")
    known = {"": 0}

    def string(s):
        s = s if isinstance(s, str) else strings[s].decode()
        if s not in known:
            known[s] = len(d.string_table)
            d.string_table.append(s)
        return known[s]

    mappings, functions, locations, stacks, attributes = (
        Table(t) for t in (d.mapping_table, d.function_table, d.location_table, d.stack_table, d.attribute_table))
    d.link_table.add()

    def attribute(key, value, unit=0):
        a = pb.KeyValueAndUnit(key_strindex=string(key), unit_strindex=string(unit) if unit else 0)
        if isinstance(value, bool):
            a.value.bool_value = value
        elif isinstance(value, int):
            a.value.int_value = value
        else:
            a.value.string_value = value
        return attributes.put(a)

    mapping = {}
    for m in map(message, many(pprof, 3)):
        has = [attribute("pprof.mapping.has_" + name, True)
               for n, name in ((7, "functions"), (8, "filenames"), (9, "line_numbers"), (10, "inline_frames")) if m.get(n)]
        if m.get(6):
            has.append(attribute("process.executable.build_id.gnu", strings[m[6]].decode()))
        mapping[m[1]] = mappings.put(pb.Mapping(memory_start=m.get(2, 0), memory_limit=m.get(3, 0), file_offset=m.get(4, 0),
                                                filename_strindex=string(m.get(5, 0)), attribute_indices=has))
    function = {f[1]: functions.put(pb.Function(name_strindex=string(f.get(2, 0)), system_name_strindex=string(f.get(3, 0)),
                                                filename_strindex=string(f.get(4, 0)), start_line=signed(f.get(5, 0))))
                for f in map(message, many(pprof, 5))}
    location = {}
    for data in many(pprof, 4):
        l = message(data)
        folded = [attribute("pprof.location.is_folded", True)] if l.get(5) else []
        lines = [pb.Line(function_index=function[n[1]], line=signed(n.get(2, 0)), column=signed(n.get(3, 0)))
                 for n in map(message, many(data, 4))]
        location[l[1]] = locations.put(pb.Location(mapping_index=mapping.get(l.get(2, 0), 0), address=l.get(3, 0), lines=lines,
                                                attribute_indices=folded))

    head = message(pprof)
    own = [attribute("pprof.profile." + key, strings[head[n]].decode())
           for n, key in ((7, "drop_frames"), (8, "keep_frames"), (15, "doc_url")) if head.get(n)]
    scope = out.resource_profiles.add().scope_profiles.add()
    types = many(pprof, 1)
    for at, data in enumerate(types):
        t = message(data)
        p = scope.profiles.add(time_unix_nano=head.get(9, 0), duration_nano=head.get(10, 0), period=signed(head.get(12, 0)), attribute_indices=own)
        p.sample_type.type_strindex, p.sample_type.unit_strindex = string(t.get(1, 0)), string(t.get(2, 0))
        period = message(head.get(11, b""))
        p.period_type.type_strindex, p.period_type.unit_strindex = string(period.get(1, 0)), string(period.get(2, 0))
        for data in samples:
            s = message(data, (1, 2))
            labels = []
            for l in map(message, many(data, 3)):
                if l.get(2) or l.get(3) or l.get(4):  # one without a value is none
                    labels.append(attribute(l[1], strings[l[2]].decode()) if l.get(2)
                                  else attribute(l[1], signed(l.get(3, 0)), l.get(4, 0)))
            stack = stacks.put(pb.Stack(location_indices=[location[i] for i in s.get(1, [])]))
            p.samples.add(stack_index=stack, attribute_indices=labels, values=[signed(s[2][at])])
    return out, [strings[message(t).get(1, 0)].decode() for t in types]


def sized(messages):
    return b"".join(len(m).to_bytes(4, "big") + m for m in (m.SerializeToString() for m in messages))


def forms(pprof, pb, json_format):
    """The files that a profile becomes."""
    samples = many(pprof, 2)
    one, types = convert(pprof, pb, samples)
    yield "message", one.SerializeToString(), types
    parts = [convert(pprof, pb, samples[len(samples) * i // 3:len(samples) * (i + 1) // 3])[0] for i in range(3)]
    yield "messages with sizes", sized(parts), types
    yield "lines of JSON", "".join(json_format.MessageToJson(m, indent=None) + "\n" for m in parts).encode(), types
    yield "messages without sizes", b"".join(m.SerializeToString() for m in parts), types


def main():
    bin_folder, schema, *profiles = sys.argv[1:]
    if not shutil.which("protoc") or not os.path.isdir(schema):
        print("otlp: no protoc or no schema, nothing compared")
        return 77
    scratch = tempfile.mkdtemp()
    try:
        base = "opentelemetry/proto/"
        subprocess.run(["protoc", "-I" + schema, "--python_out=" + scratch] +
                       [os.path.join(schema, base + f) for f in ("profiles/v1development/profiles.proto", "common/v1/common.proto",
                                                                 "resource/v1/resource.proto")], check=True)
        sys.path.insert(0, scratch)
        try:
            from google.protobuf import json_format
            from opentelemetry.proto.profiles.v1development import profiles_pb2 as pb
        except ImportError as e:
            print("otlp: %s, nothing compared" % e)
            return 77
        return compare(bin_folder, profiles, (pb, json_format), scratch)
    finally:
        shutil.rmtree(scratch)


def compare(bin_folder, profiles, with_, scratch):
    def said(command, *args):
        run = subprocess.run([os.path.join(bin_folder, command), *args], capture_output=True)
        lines = run.stdout.decode().splitlines()
        # Rows of equal values may come in any order.
        return sorted(lines) if run.returncode == 0 else [run.stderr.decode()]

    compared, wrong = 0, 0
    before, after = os.path.join(scratch, "before"), os.path.join(scratch, "after")
    for name in profiles:
        data = open(name, "rb").read()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        if not data or (data[:1].isalpha() and data[:1] != b"H") or data[:3] == b"---":
            continue  # a text
        with open(before, "wb") as f:
            f.write(data)
        for form, bytes_, types in forms(data, *with_):
            with open(after, "wb") as f:
                f.write(bytes_)
            for t in types:
                for command in (("tprof-flame", "--format=folded", "--sample-index=" + t),
                                ("tprof-top", "--format=csv", "-n", "0", "--lines", "--sample-index=" + t),
                                ("tprof-top", "--tags", "--sample-index=" + t)):
                    a, b = said(*command, before), said(*command, after)
                    compared += 1
                    if a != b:
                        wrong += 1
                        print("%s as %s: %s differs:" % (name, form, " ".join(command)))
                        print("\n".join([l for l in a if l not in b][:3] + ["instead:"] + [l for l in b if l not in a][:3]))
    print("otlp: %d reports of %d profiles compared, %d differ" % (compared, len(profiles), wrong))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
