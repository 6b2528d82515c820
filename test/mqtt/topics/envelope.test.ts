import { expect, test } from "bun:test";
import { PacketCursor } from "../../../src/lib/mqtt/packet-cursor.ts";
import { allowedIn, Properties, writeMessageProperties } from "../../../src/lib/mqtt/properties.ts";
import { enclose, open } from "../../../src/mqtt/topics/envelope.ts";

const utf8 = new TextEncoder();
const text = (value: string) => {
  const bytes = utf8.encode(value);
  return [bytes.length >> 8, bytes.length & 255, ...bytes];
};
const user = (name: string, value: string) => [0x26, ...text(name), ...text(value)];
const read = (body: readonly number[]) =>
  Properties.read(new PacketCursor(Uint8Array.from([...varint(body.length), ...body])), allowedIn.publish);
const varint = (length: number) =>
  length < 128 ? [length] : [(length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14];

test("user properties reach receivers in their order, between others, with names that come twice", () => {
  const [a, b, c] = [user("a", "1"), user("é", "2"), user("a", "3")];
  const properties = read([...a, ...b, 0x03, ...text("text/plain"), ...c]);
  const { properties: received, payload } = open(enclose(Uint8Array.of(7), properties, 0));
  expect(payload).toEqual(Uint8Array.of(7));
  const sent = [0x03, ...text("text/plain"), 0x0b, 5, ...a, ...b, ...c];
  expect([...writeMessageProperties(received, { subscriptionIds: [5] })]).toEqual([sent.length, ...sent]);
});

test("thousands of user properties are read once, and are one piece for every receiver", () => {
  const many = Array.from({ length: 5_000 }, (_, index) => user(`k${index}`, "v"));
  const properties = read(many.flat());
  expect(properties.user).toHaveLength(1);
  const { properties: received } = open(enclose(Uint8Array.of(7), properties, 0));
  expect(received.user).toHaveLength(1);
  expect([...(received.user[0] ?? [])]).toEqual(many.flat());
});

test("what a message keeps of its sender's packet does not change with the bytes that come next", () => {
  const body = [0x09, 0, 1, 42, ...user("a", "1")];
  const bytes = Uint8Array.from([body.length, ...body]);
  const properties = Properties.read(new PacketCursor(bytes), allowedIn.will);
  const before = writeMessageProperties(properties);
  bytes.fill(0);
  expect(writeMessageProperties(properties)).toEqual(before);
});

test("a user property is checked wherever it stands", () => {
  const bad = [0x26, 0, 1, 0xff, ...text("v")];
  expect(() => read([...user("a", "1"), ...bad])).toThrow("UTF-8");
  expect(() => read([...user("a", "1"), 0x26, 0, 9])).toThrow("ends early");
});
