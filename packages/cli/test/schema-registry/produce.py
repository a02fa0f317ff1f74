"""Writes sessions with a loop through Confluent's serializers: python produce.py REGISTRY_URL BROKERS TOPIC CALLS."""

import json
import sys

from confluent_kafka import Producer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

AVRO = {
    "type": "record",
    "name": "ToolCall",
    "namespace": "agents",
    "fields": [
        {"name": "sessionId", "type": "string"},
        {"name": "type", "type": {"type": "enum", "name": "Type", "symbols": ["content", "tool_call_request"]}},
        {"name": "callId", "type": ["null", "string"], "default": None},
        {"name": "name", "type": "string"},
        {"name": "args", "type": {"type": "map", "values": ["null", "long", "string"]}},
        {"name": "durationNanos", "type": "long"},
    ],
}

JSON_SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "ToolCall",
    "type": "object",
    "properties": {"sessionId": {"type": "string"}},
    "required": ["sessionId"],
}


def protobuf_message():
    """A message within the second message of its file, so that its index is not the default."""
    file = descriptor_pb2.FileDescriptorProto(name="agents/call.proto", package="agents", syntax="proto3")
    file.dependency.append("google/protobuf/struct.proto")
    file.message_type.add(name="Other")
    outer = file.message_type.add(name="Agent")
    outer.nested_type.add(name="Note")
    call = outer.nested_type.add(name="ToolCall")
    field = descriptor_pb2.FieldDescriptorProto
    for number, name in enumerate(["session_id", "type", "call_id", "name"], 1):
        call.field.add(name=name, number=number, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    call.field.add(
        name="args",
        number=5,
        type=field.TYPE_MESSAGE,
        type_name=".google.protobuf.Struct",
        label=field.LABEL_OPTIONAL,
    )
    call.field.add(name="duration_nanos", number=6, type=field.TYPE_INT64, label=field.LABEL_OPTIONAL)
    pool = descriptor_pool.Default()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("agents.Agent.ToolCall"))


def main(url, brokers, topic, calls):
    registry = SchemaRegistryClient({"url": url})
    producer = Producer({"bootstrap.servers": brokers})
    message = protobuf_message()

    def proto(call):
        value = message(
            session_id=call["sessionId"],
            type=call["type"],
            call_id=call["callId"],
            name=call["name"],
            duration_nanos=call["durationNanos"],
        )
        value.args.update(call["args"])
        return value

    serializers = {
        "avro": (AvroSerializer(registry, json.dumps(AVRO)), dict),
        "json": (JSONSerializer(json.dumps(JSON_SCHEMA), registry), dict),
        "proto": (ProtobufSerializer(message, registry, {"use.deprecated.format": False}), proto),
    }
    for name, (serialize, convert) in serializers.items():
        # Each encoding has a subject of its own.
        context = SerializationContext(f"{topic}-{name}", MessageField.VALUE)
        for number in range(int(calls)):
            call = {
                "sessionId": f"{name}-session",
                "type": "tool_call_request",
                "callId": f"call-{number}",
                "name": "read_file",
                "args": {"path": "a.txt", "line": 7},
                "durationNanos": 9007199254740993,
            }
            producer.produce(topic, key=call["sessionId"], value=serialize(convert(call), context))
    producer.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
