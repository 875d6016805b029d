"""Encodes shop.txtpb with protoc's classes: as one message (shop.otlp); twice, behind its size (shop.sized),
compressed behind its size (shop.packed), and as a line of JSON for each service (shop.jsonl), as the Collector's file exporter writes messages, which
has ids in hexadecimal where protobuf's own JSON has base64.

    testdata/otlp/make.py SCHEMA

SCHEMA is a checkout of opentelemetry-proto at the commit that tprof-import(1) names. Needs protoc and
python3-protobuf.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
schema = os.path.abspath(sys.argv[1])
base = schema + "/opentelemetry/proto/"
with tempfile.TemporaryDirectory() as scratch:
    subprocess.run(["protoc", "-I" + schema, "--python_out=" + scratch, base + "profiles/v1development/profiles.proto",
                    base + "common/v1/common.proto", base + "resource/v1/resource.proto"], check=True)
    sys.path.insert(0, scratch)
    from google.protobuf import json_format, text_format
    from opentelemetry.proto.profiles.v1development import profiles_pb2 as pb

shop = text_format.Parse(open(here + "/shop.txtpb").read(), pb.ProfilesData())
data = shop.SerializeToString()
open(here + "/shop.otlp", "wb").write(data)
open(here + "/shop.sized", "wb").write(2 * (len(data).to_bytes(4, "big") + data))

packed = subprocess.run(["zstd", "-qc", "--stream-size=%d" % len(data)], input=data, stdout=subprocess.PIPE, check=True).stdout
open(here + "/shop.packed", "wb").write(len(packed).to_bytes(4, "big") + packed)

with open(here + "/shop.jsonl", "w") as out:
    for i in range(len(shop.resource_profiles)):
        part = pb.ProfilesData(dictionary=shop.dictionary, resource_profiles=[shop.resource_profiles[i]])
        line = json_format.MessageToDict(part)
        for at in line["dictionary"]["linkTable"] + line["resourceProfiles"][0]["scopeProfiles"][0]["profiles"]:
            for key in ("traceId", "spanId", "profileId"):
                if key in at:
                    at[key] = base64.b64decode(at[key]).hex()
        out.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")
