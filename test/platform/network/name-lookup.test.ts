import { expect, test } from "bun:test";
import { createLookup } from "../../../src/platform/network/name-lookup.ts";

/** Lookups whose answers the test gives. */
function createUnanswered() {
  const asked: string[] = [];
  const responses: (() => void)[] = [];
  return {
    asked,
    answer: () => responses.shift()?.(),
    find(name: string) {
      asked.push(name);
      return new Promise<{ address: string }[]>((resolve) =>
        responses.push(() => resolve([{ address: name }])),
      );
    },
  };
}

const DIRECT = ["slow.example", "a.b.slow.example", "slow.example.", "local.example"];
const LOCAL = ["nas", "nas.", "printer.local", "printer.local.", "a.b.LOCAL"];

test("name servers that do not answer hold up no thread of the system", () => {
  const [direct, system] = [createUnanswered(), createUnanswered()];
  const lookup = createLookup({ direct: direct.find, system: system.find });
  for (const name of DIRECT) void lookup(name, "a");
  expect(direct.asked).toEqual(DIRECT);
  expect(system.asked).toEqual([]);
});

test("local names are asked for one at a time, and tenants take turns", async () => {
  const [direct, system] = [createUnanswered(), createUnanswered()];
  const lookup = createLookup({ direct: direct.find, system: system.find });
  const found = LOCAL.map((name) => lookup(name, "a"));
  const other = lookup("gateway", "b");
  expect(system.asked).toEqual(["nas"]);
  system.answer();
  await Bun.sleep(0);
  expect(system.asked).toEqual(["nas", "gateway"]);
  system.answer();
  expect(await other).toEqual([{ address: "gateway" }]);
  for (const name of LOCAL.slice(1)) {
    await Bun.sleep(0);
    expect(system.asked.at(-1)).toBe(name);
    system.answer();
  }
  expect(await Promise.all(found)).toEqual(LOCAL.map((address) => [{ address }]));
  expect(direct.asked).toEqual([]);
});

test("a failed lookup fails alone", async () => {
  const [direct, fail] = [createUnanswered(), () => Promise.reject(new Error("not found"))];
  const lookup = createLookup({ direct: direct.find, system: fail });
  const both = await Promise.allSettled([lookup("a", "t"), lookup("b", "t")]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
