"""Holds OTLP JSON files to opentelemetry-proto: every field known, ids of the right length."""

import base64
import json
import sys

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SIZES = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def spans(document):
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            yield from scope["spans"]


def main(files):
    if not files:
        sys.exit("name the files to parse")
    count = 0
    for name in files:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        for span in spans(document):
            for key, size in SIZES.items():
                if key in span:
                    value = bytes.fromhex(span[key])
                    assert len(value) == size and any(value), f"{name}: {key} {span[key]}"
                    # OTLP writes ids in hex where protobuf's own JSON has base64.
                    span[key] = base64.b64encode(value).decode()
        message = ParseDict(document, ExportTraceServiceRequest(), ignore_unknown_fields=False)
        for resource in message.resource_spans:
            for scope in resource.scope_spans:
                count += len(scope.spans)
                for span in scope.spans:
                    assert span.start_time_unix_nano <= span.end_time_unix_nano, f"{name}: {span.name}"
    assert count > 0, "no span at all"
    print(f"{len(files)} OTLP files hold {count} spans")


main(sys.argv[1:])
