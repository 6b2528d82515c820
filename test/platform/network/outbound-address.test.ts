import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { inEnglish } from "../../../src/lib/core/domain-error.ts";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import type { Text } from "../../../src/lib/texts/text.ts";
import type { Config } from "../../../src/platform/config/config.ts";
import { createOutboundAddresses, RefusedAddress } from "../../../src/platform/network/outbound-address.ts";

const english = (text: Text | undefined) => (text === undefined ? undefined : inEnglish(text));

const OWN_PORT = 8080;
const HOST = "host" as TenantId;
const GUEST = "guest" as TenantId;
const rule = (
  config: Partial<Pick<Config, "outbound_allow" | "outbound_private">> = {},
  names: Record<string, string[]> = {},
  tenantId = HOST,
) =>
  createOutboundAddresses({
    config: { outbound_allow: undefined, outbound_private: "host", ...config },
    ownPorts: () => [OWN_PORT, undefined],
    isHost: (asked) => asked === HOST,
    lookup: async (name) => (names[name] ?? []).map((address) => ({ address })),
  }).of(tenantId);

const open = undefined;
const rows: Array<[address: string, refusal: string | undefined]> = [
  ["8.8.8.8", open],
  ["2606:4700::1111", open],
  ["127.0.0.1", "It is an address of this machine."],
  ["127.255.1.2", "It is an address of this machine."],
  ["0.0.0.0", "It is an address of this machine."],
  ["::", "It is an address of this machine."],
  ["::1", "It is an address of this machine."],
  ["::ffff:127.0.0.1", "It is an address of this machine."],
  ["::ffff:7f00:1", "It is an address of this machine."],
  ["::127.0.0.1", "It is an address of this machine."],
  ["64:ff9b::7f00:1", "It is an address of this machine."],
  ["64:ff9b::127.0.0.1", "It is an address of this machine."],
  ["2002:7f00:1::", "It is an address of this machine."],
  ["169.254.169.254", "It is a metadata service."],
  ["64:ff9b::a9fe:a9fe", "It is a metadata service."],
  ["fd00:ec2::254", "It is a metadata service."],
  ["100.100.100.200", "It is a metadata service."],
  ["169.254.7.1", "It is a link-local address."],
  ["fe80::1", "It is a link-local address."],
  ["fe80::1%eth0", "It is a link-local address."],
  ["224.0.0.1", "It is a multicast or broadcast address."],
  ["255.255.255.255", "It is a multicast or broadcast address."],
  ["ff02::1", "It is a multicast or broadcast address."],
  ["2001:0:53aa:64c::", "It is a reserved address."],
  ["10.1.2.3", open],
  ["172.31.0.1", open],
  ["192.168.1.7", open],
  ["fd12::1", open],
  ["64:ff9b::8.8.8.8", open],
  ["no address", "It is not an IP address."],
];

describe("an address", () => {
  for (const [address, refusal] of rows)
    test(`${address} is ${refusal === undefined ? "let through" : "refused"}`, () => {
      expect(english(rule().refusalOf(address, 443))).toBe(refusal);
    });
});

test("private networks can be switched off, with all that leads into them", () => {
  const closed = rule({ outbound_private: "none" });
  for (const address of [
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.7",
    "100.64.0.1",
    "fd12::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
  ])
    expect(english(closed.refusalOf(address, 443))).toBe(
      "Connections to private networks are disabled by the setting outbound_private.",
    );
  for (const address of ["172.32.0.1", "8.8.8.8", "2606:4700::1111"])
    expect(closed.refusalOf(address, 443)).toBeUndefined();
});

test("only the site of the gateway's operators may connect to private networks, unless the setting lets all sites reach them", () => {
  const guest = (config: Parameters<typeof rule>[0]) => rule(config, {}, GUEST).refusalOf("192.168.1.7", 443);
  expect(rule().refusalOf("192.168.1.7", 443)).toBeUndefined();
  expect(english(guest({}))).toBe(
    "Only the site of the gateway's operators may connect to private networks, unless the setting outbound_private is all.",
  );
  expect(guest({ outbound_private: "all" })).toBeUndefined();
  expect(english(guest({ outbound_private: "none" }))).toBe(
    "Connections to private networks are disabled by the setting outbound_private.",
  );
  expect(guest({ outbound_allow: "192.168.1.0/24" })).toBeUndefined();
});

test("what is allowed goes through: an address, a network, in any spelling, loopback too", () => {
  const allowing = rule({ outbound_allow: "127.0.0.1, 169.254.7.0/24,fe80::/10", outbound_private: "none" });
  for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "169.254.7.200", "fe80::5"])
    expect(allowing.refusalOf(address, 443)).toBeUndefined();
  for (const address of ["127.0.0.2", "169.254.8.1", "::1", "10.0.0.1"])
    expect(allowing.refusalOf(address, 443)).toBeDefined();
});

test("the gateway's own ports are refused at every address of its own, whatever is allowed", () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address } of own)
    expect(english(rule({ outbound_allow: "0.0.0.0/0,::/0" }).refusalOf(address, OWN_PORT))).toBe(
      "It is this gateway itself.",
    );
  expect(english(rule({ outbound_allow: "127.0.0.0/8" }).refusalOf("127.9.9.9", OWN_PORT))).toBe(
    "It is this gateway itself.",
  );
  expect(rule().refusalOf("8.8.8.8", OWN_PORT)).toBeUndefined();
});

test("the gateway's own addresses are refused on every port, until each is allowed by itself", () => {
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => address);
  expect(own.length).toBeGreaterThan(0);
  for (const address of own)
    for (const port of [22, 80, 5432]) {
      expect(english(rule({ outbound_private: "all" }).refusalOf(address, port))).toBe(
        "It is an address of this machine.",
      );
      expect(english(rule({ outbound_allow: "0.0.0.0/0,::/0" }).refusalOf(address, port))).toBe(
        "It is an address of this machine.",
      );
      if (!address.startsWith("fe80"))
        expect(rule({ outbound_allow: address }).refusalOf(address, port)).toBeUndefined();
    }
});

describe("a URL", () => {
  const urls: Array<[url: string, isRefused: boolean]> = [
    ["http://2130706433/", true],
    ["http://0x7f.1/", true],
    ["http://0177.0.0.1/", true],
    ["http://127.1/", true],
    ["http://[::1]/", true],
    ["http://[::ffff:127.0.0.1]/", true],
    ["http://localhost:99/", true],
    ["http://a.localhost./", true],
    ["http://erp.example/", false],
    ["https://192.168.1.7:8443/x", false],
  ];
  for (const [url, isRefused] of urls)
    test(`${url} is ${isRefused ? "refused" : "let through"} without a look-up`, () => {
      expect(rule().refusalOfUrl(url) !== undefined).toBe(isRefused);
    });
});

test("a name that leads to this machine is refused; of several addresses only good ones are used", async () => {
  const names = rule({}, { inside: ["127.0.0.1"], mixed: ["::1", "10.0.0.7", "169.254.169.254"], none: [] });
  const refused = await names.resolve("inside", 80).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RefusedAddress);
  expect((refused as Error).message).toBe(
    "The gateway sends nothing to inside (127.0.0.1): It is an address of this machine. To allow this address, add it to the setting outbound_allow.",
  );
  expect(await names.resolve("mixed", 80)).toEqual(["10.0.0.7"]);
  expect(await names.resolve("[2606:4700::1]", 80)).toEqual(["2606:4700::1"]);
  const missing = await names.resolve("none", 80).catch((error: unknown) => error);
  expect((missing as Error).message).toBe("none has no address");
});

test("another site does not learn what a name resolves to", async () => {
  const names = createOutboundAddresses({
    config: { outbound_allow: undefined, outbound_private: "none" },
    ownPorts: () => [],
    isHost: (asked) => asked === HOST,
    lookup: async () => [{ address: "10.0.0.7" }],
  });
  const messageFor = (tenantId: TenantId) =>
    names
      .of(tenantId)
      .resolve("plc", 502)
      .catch((error: Error) => error.message);
  expect(await messageFor(HOST)).toContain("plc (10.0.0.7)");
  expect(await messageFor("stranger" as TenantId)).not.toContain("10.0.0.7");
});
