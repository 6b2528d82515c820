import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalAddress, readForwarded } from "../../../src/lib/network/forwarded.ts";
import { parseRange } from "../../../src/lib/network/ip-range.ts";

const trusted = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"].flatMap((text) => parseRange(text) ?? []);
const read = (headers: Record<string, string> | Headers, peer = "127.0.0.1") =>
  readForwarded(new Headers(headers), peer, trusted);
const addressOf = (list: string) => read({ "x-forwarded-for": list }).address;

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["  203.0.113.7  ", "203.0.113.7"],
  ["198.51.100.1, 203.0.113.7", "203.0.113.7"],
  ["198.51.100.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"],
  ["203.0.113.7,10.1.2.3,10.4.5.6", "203.0.113.7"],
  ["203.0.113.7:51234", "203.0.113.7"],
  ["2001:DB8:0::7", "2001:db8::7"],
  ["[2001:db8::7]", "2001:db8::7"],
  ["[2001:db8::7]:51234", "2001:db8::7"],
  ['"[2001:db8::7]:51234"', "2001:db8::7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["203.0.113.7, ::ffff:10.1.2.3", "203.0.113.7"],
])("X-Forwarded-For: %s names the client %s", (list, expected) => {
  expect(addressOf(list)).toBe(expected);
});

test.each([
  ["", "127.0.0.1"],
  ["unknown", "127.0.0.1"],
  ["203.0.113.7, unknown", "127.0.0.1"],
  ["203.0.113.7, , 10.1.2.3", "10.1.2.3"],
  ["203.0.113.7, <script>", "127.0.0.1"],
  ["203.0.113.7, 1.2.3", "127.0.0.1"],
  ["203.0.113.7, 10.1.2.3:99999999", "127.0.0.1"],
  ["203.0.113.7, [10.1.2.3", "127.0.0.1"],
])("an entry of X-Forwarded-For that is no address ends the list: %s", (list, expected) => {
  expect(addressOf(list)).toBe(expected);
});

test("a list of trusted addresses alone names its first one", () => {
  expect(addressOf("10.1.1.1, 10.2.2.2")).toBe("10.1.1.1");
});

test("several header lines are one list", () => {
  const headers = new Headers();
  for (const value of ["198.51.100.1", "203.0.113.7", "10.1.2.3"]) headers.append("x-forwarded-for", value);
  expect(read(headers).address).toBe("203.0.113.7");
});

test("the left part of a list that is too long does not count", () => {
  const hops = Array.from({ length: 5_000 }, () => "10.9.9.9").join(", ");
  expect(addressOf(`203.0.113.7, ${hops}`)).toBe("10.9.9.9");
});

test.each([
  ["https", "https"],
  ["HTTPS", "https"],
  ["wss", "https"],
  ["ws", "http"],
  ["http, https", "https"],
  ["javascript", undefined],
  ["", undefined],
])("X-Forwarded-Proto: %s means %p", (value, expected) => {
  expect(read({ "x-forwarded-proto": value }).protocol).toBe(expected as "https");
});

test.each([
  ["plant.example", "plant.example"],
  ["Plant.Example:8443", "plant.example:8443"],
  ["evil.example, plant.example", "plant.example"],
  ["[2001:db8::7]:8443", "[2001:db8::7]:8443"],
  ["user@plant.example", undefined],
  ["plant.example/path", undefined],
  ["plant.example:999999", undefined],
  ["plant example", undefined],
  ["", undefined],
])("X-Forwarded-Host: %s means %p", (value, expected) => {
  expect(read({ "x-forwarded-host": value }).host).toBe(expected as string);
});

test("IPv4 is IPv4, however it is written", () => {
  expect(canonicalAddress("::ffff:10.0.0.1")).toBe("10.0.0.1");
  expect(canonicalAddress("::FFFF:0a00:0001")).toBe("10.0.0.1");
  expect(canonicalAddress("fe80::1%eth0")).toBe("fe80::1");
});

test("whatever the client sends left of its own address changes nothing", () => {
  const property = fc.property(fc.string({ maxLength: 200 }), fc.ipV4(), (forged, client) => {
    fc.pre(!client.startsWith("10.") && client !== "127.0.0.1");
    const printable = forged.replace(/[^\x20-\x7e]/g, "");
    expect(addressOf(`${printable}, ${client}, 10.0.0.1`)).toBe(client);
  });
  fc.assert(property);
});
