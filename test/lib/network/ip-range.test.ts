import { describe, expect, test } from "bun:test";
import { addressBits, isInRange, parseRange } from "../../../src/lib/network/ip-range.ts";

test("an address has the same bits in all its spellings", () => {
  const same: string[][] = [
    ["10.0.0.1", "::ffff:10.0.0.1", "::ffff:a00:1", "0:0:0:0:0:ffff:a00:1"],
    ["2001:db8::1", "2001:0db8:0:0:0:0:0:1", "2001:DB8::0:1"],
    ["::", "0::0"],
  ];
  for (const spellings of same) expect(new Set(spellings.map(addressBits)).size).toBe(1);
  expect(addressBits("1::")).toBe(1n << 112n);
  for (const none of ["", "10.0.0", "10.0.0.256", "1:2", ":::", "localhost", "0x7f.1"])
    expect(addressBits(none)).toBeUndefined();
});

describe("a range", () => {
  const rows: Array<[range: string, inside: string[], outside: string[]]> = [
    ["10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.1.1"], ["11.0.0.0", "9.255.255.255", "a00::"]],
    ["192.168.1.7", ["192.168.1.7"], ["192.168.1.6"]],
    ["0.0.0.0/0", ["1.2.3.4", "255.255.255.255"], ["::1", "2001::"]],
    ["::/0", ["1.2.3.4", "::1"], []],
    ["fc00::/7", ["fc00::", "fdff::1"], ["fe00::"]],
    ["::1/128", ["::1"], ["::2"]],
  ];
  for (const [text, inside, outside] of rows)
    test(text, () => {
      const range = parseRange(text);
      if (range === undefined) throw new Error("no range");
      const isIn = (address: string) => isInRange(addressBits(address) ?? -1n, range);
      expect(inside.map(isIn)).toEqual(inside.map(() => true));
      expect(outside.map(isIn)).toEqual(outside.map(() => false));
    });

  test("is not read from what is none", () => {
    for (const none of [
      "10.0.0.0/33",
      "::/129",
      "10.0.0.0/8/8",
      "10.0.0.0/",
      "10.0.0.0/-1",
      "a/8",
      "fe80::1%eth0",
    ])
      expect(parseRange(none)).toBeUndefined();
  });
});
