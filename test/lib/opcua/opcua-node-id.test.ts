import { expect, test } from "bun:test";
import fc from "fast-check";
import { resolveNodeId } from "node-opcua-client";
import { isNodeId, namespaceOf, withNamespace } from "../../../src/lib/opcua/opcua-node-id.ts";

const namespace = fc.nat(65_535);
const identifier = fc.oneof(
  fc.nat(0xffff_ffff).map((number) => `i=${number}`),
  fc
    .string({ minLength: 1, maxLength: 200 })
    .filter((name) => !name.includes("\0"))
    .map((name) => `s=${name}`),
  fc.uuid().map((id) => `g=${id}`),
  fc
    .uint8Array({ minLength: 1, maxLength: 100 })
    .map((bytes) => `b=${Buffer.from(bytes).toString("base64")}`),
);

test("addresses of all kinds are nodes, and the library takes them as they are", () => {
  fc.assert(
    fc.property(namespace, identifier, (index, name) => {
      const text = `ns=${index};${name}`;
      expect(isNodeId(text)).toBe(true);
      const id = resolveNodeId(text).toString();
      expect(name.startsWith("g=") ? id.toLowerCase() : id).toBe(text);
    }),
  );
});

test("an address may have the name of its namespace, in which a semicolon is escaped", () => {
  const address = "nsu=urn:a%3Bb%25;s=x;y";
  expect(isNodeId(address)).toBe(true);
  expect(namespaceOf(address)).toBe("urn:a;b%");
  expect(withNamespace(address, 3)).toBe("ns=3;s=x;y");
  expect(namespaceOf("ns=2;s=nsu=urn:a;i=1")).toBeUndefined();
});

test.each([
  "",
  "nsu=;i=1",
  "nsu=urn:a",
  "Press.Pressure",
  "ns=65536;i=1",
  "ns=2;i=4294967296",
  "ns=2;i=-1",
  "NS=2;s=x",
  "S=x",
  "s=",
  "s=a\0",
  "g=72962b91-fa75-4ae6-8d28",
  "b=A",
  "b====",
  "svr=1;ns=2;i=1",
  `s=${"x".repeat(1_000)}`,
])("%p is not a node", (text) => {
  expect(isNodeId(text)).toBe(false);
});
