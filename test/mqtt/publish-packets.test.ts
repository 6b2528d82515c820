import { expect, test } from "bun:test";
import { packet, packetRows, publish4, publish5, str, telemetry } from "./packet-rows.ts";

const { responses, closes, running } = packetRows();

const attributes = str("v1/devices/me/attributes");
const unknown = str("some/topic");

responses(3, "QoS 1 is acknowledged", publish4("32", "0001"), "40020001");
responses(4, "QoS 1 is acknowledged", publish4("32", "0102"), "40020102");
responses(5, "QoS 1 is acknowledged", publish5("32", "0102"), "40020102");
responses(4, "the short topic is acknowledged", publish4("32", "0001", "{}", str("v2/t")), "40020001");
responses(4, "attributes are acknowledged", publish4("32", "0001", "{}", attributes), "40020001");
responses(4, "a retained QoS 1 is acknowledged", publish4("33", "0001"), "40020001");
responses(4, "an empty body is taken", publish4("32", "0001", ""), "40020001");
responses(
  4,
  "two in one chunk are acknowledged in order",
  publish4("32", "0002") + publish4("32", "0001"),
  "4002000240020001",
);

const properties = `0c010126${str("k")}${str("vvvv")}`;
responses(5, "properties are taken", publish5("32", "0001", "{}", telemetry, properties), "40020001");
const aliased = (id: string, topic: string, alias: string) => publish5("32", id, "{}", topic, `0323${alias}`);
responses(
  5,
  "a topic alias stands for the topic before it",
  aliased("0001", telemetry, "0001") + aliased("0002", "0000", "0001"),
  "4002000140020002",
);
responses(
  5,
  "a topic alias stands for another topic from then on",
  aliased("0001", telemetry, "0010") + aliased("0002", unknown, "0010") + aliased("0003", "0000", "0010"),
  "4002000140030002904003000390",
);
closes(5, "a topic alias that stands for nothing closes", aliased("0001", "0000", "0001"), "e00182");
closes(5, "topic alias 0 closes", aliased("0001", telemetry, "0000"), "e00194");
closes(5, "a topic alias beyond the maximum closes", aliased("0001", telemetry, "0011"), "e00194");
const long = str("x".repeat(1_900));
closes(
  5,
  "more than 4 KiB of topics with an alias close",
  // Of QoS 0: acknowledgements of the first ones may be sent before the end.
  ["0001", "0002", "0003"].map((alias) => publish5("30", "", "{}", long, `0323${alias}`)).join(""),
  "e00197",
);
closes(5, "a subscription identifier closes", publish5("32", "0001", "{}", telemetry, "020b01"), "e00182");
closes(5, "an unknown property closes", publish5("32", "0001", "{}", telemetry, "027f01"), "e00181");
closes(5, "properties longer than the packet close", publish5("32", "0001", "", telemetry, "7f"), "e00181");
closes(5, "properties that are missing close", publish5("32", "0001", "", telemetry, ""), "e00181");

closes(4, "packet identifier 0 closes", publish4("32", "0000"));
closes(5, "packet identifier 0 closes", publish5("32", "0000"), "e00181");
closes(4, "a topic longer than its packet closes", "300400ff6162");
closes(4, "an empty publish closes", "3000");
closes(4, "QoS 1 without an identifier closes", packet("32", telemetry));
closes(4, "an empty topic closes", packet("30", "0000"));
closes(5, "an empty topic without an alias closes", packet("30", "000000"), "e00182");
closes(4, "a wildcard in the topic closes", publish4("30", "", "{}", str("v1/devices/+/telemetry")));
closes(5, "a wildcard in the topic closes", publish5("30", "", "{}", str("v1/#")), "e00181");
closes(4, "a topic that is not UTF-8 closes", publish4("30", "", "{}", "0002ff61"));
closes(5, "U+0000 in the topic closes", publish5("30", "", "{}", "0003610062"), "e00181");
closes(5, "a control character in the topic closes", publish5("30", "", "{}", "0003611f62"), "e00181");
closes(5, "a C1 control character in the topic closes", publish5("30", "", "{}", "000361c285"), "e00181");

responses(4, "an unknown topic is acknowledged", publish4("32", "0005", "{}", unknown), "40020005");
responses(5, "an unknown topic is told so", publish5("32", "0005", "{}", unknown), "4003000590");
responses(4, "a malformed body is acknowledged", publish4("32", "0005", "bad"), "40020005");
responses(5, "a malformed body is told so", publish5("32", "0005", "bad"), "4003000599");
responses(5, "too many messages are told so", publish5("32", "0005", "limit"), "4003000597");
closes(4, "a full disk closes unacknowledged", publish4("32", "0005", "full"));
closes(5, "a full disk closes unacknowledged", publish5("32", "0005", "full"), "e00197");

responses(4, "QoS 2 is received", publish4("34", "0009"), "50020009");
responses(5, "QoS 2 is received", publish5("34", "0009"), "50020009");
responses(4, "PUBREL of nothing is completed", "62020063", "70020063");
responses(5, "PUBREL of nothing is told so", "62020063", "7003006392");
closes(4, "PUBREL with identifier 0 closes", "62020000");
closes(4, "PUBREL that is too long closes", "6203000100");
responses(5, "a refused QoS 2 message ends with its PUBREC", publish5("34", "0009", "bad"), "5003000999");
responses(5, "PUBREC of nothing is answered", "50020007", "6203000792");
responses(4, "PUBACK of nothing is ignored", "40020007c000", "d000");
responses(5, "PUBACK with a reason is read", "400400071000c000", "d000");

test("a refused publish is listed on the device", () => {
  const codes = running().ingest.rejected.map(({ deviceId, where, code }) => `${deviceId} ${where} ${code}`);
  expect(codes).toContain("device-seq some/topic topic.unknown");
  expect(codes).toContain("device-seq telemetry body.malformed");
});
