import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { DeviceId, TenantId } from "../../../src/lib/ids.ts";
import { RefusalList } from "../../../src/modules/refusals/refusal-list.ts";
import type { Refusal } from "../../../src/modules/refusals/refusals.types.ts";

const HOUR_MS = 3_600_000;
const LIMITS = { entriesMax: 40, perAddressMax: 5, staleMs: HOUR_MS };

function createList(limits = LIMITS) {
  let ids = 0;
  return new RefusalList(limits, () => String(++ids));
}

const refusal = (address: string, name: string, more: Partial<Refusal> = {}): Refusal => ({
  edge: "mqtt",
  reason: "token_wrong",
  protocol: "mqtt",
  address,
  identity: { kind: "token", name },
  ...more,
});
const owned = { tenantId: "one" as TenantId, deviceId: "pump" as DeviceId };
const sizeOf = (list: RefusalList, address: string) =>
  list.list().filter((entry) => entry.address === address).length;

describe("aggregation", () => {
  test("counts refusals that differ only in their time in one entry", () => {
    const list = createList();
    for (const now of [1, 2, 3]) list.record(refusal("10.0.0.1", "abcd"), now);
    expect(list.list()).toMatchObject([{ count: 3, firstAt: 1, lastAt: 3 }]);
  });

  test("lists another edge, address, identity or reason separately, the newest first", () => {
    const list = createList();
    list.record(refusal("10.0.0.1", "abcd"), 1);
    list.record(refusal("10.0.0.2", "abcd"), 2);
    list.record(refusal("10.0.0.1", "efgh"), 3);
    list.record(refusal("10.0.0.1", "abcd", { edge: "webhook" }), 4);
    list.record(refusal("10.0.0.1", "abcd", { reason: "too_many_tries" }), 5);
    list.record(refusal("10.0.0.1", "abcd"), 6);
    expect(list.list().map(({ lastAt }) => lastAt)).toEqual([6, 5, 4, 3, 2]);
  });

  test("shows the client id of the newest refusal", () => {
    const list = createList();
    list.record(refusal("10.0.0.1", "abcd", { client: "first" }), 1);
    list.record(refusal("10.0.0.1", "abcd", { client: "second\u0000" }), 2);
    expect(list.list()).toMatchObject([{ count: 2, client: "second\uFFFD" }]);
  });
});

describe("shares", () => {
  test("counts what an address tries beyond its share in one entry", () => {
    const list = createList();
    for (let index = 0; index < 1_000; index++) list.record(refusal("10.0.0.1", `guess ${index}`), index);
    expect(list.size).toBe(LIMITS.perAddressMax + 1);
    expect(list.list()[0]).toMatchObject({ identity: { kind: "others" }, count: 995 });
  });

  test("counts the addresses of one IPv6 network as one", () => {
    const list = createList();
    for (let index = 0; index < 1_000; index++)
      list.record(refusal(`2001:db8::${index.toString(16)}`, "guess"), index);
    expect(list.size).toBe(LIMITS.perAddressMax + 1);
  });

  test("gives the place of an old entry to a new one of the same address", () => {
    const list = createList();
    for (let index = 0; index < LIMITS.perAddressMax; index++)
      list.record(refusal("10.0.0.1", `${index}`), 0);
    list.record(refusal("10.0.0.1", "new"), HOUR_MS);
    expect(list.list()[0]).toMatchObject({ identity: { name: "new" } });
    expect(list.size).toBe(LIMITS.perAddressMax);
  });

  test("keeps what belongs to a tenant while strangers come from any number of addresses", () => {
    const list = createList();
    list.record(refusal("10.0.0.1", "pump", owned), 0);
    for (let index = 0; index < 10_000; index++)
      list.record(refusal(`10.1.${index >> 8}.${index & 255}`, "guess"), index);
    expect(list.size).toBe(LIMITS.entriesMax);
    expect(list.list().at(-1)).toMatchObject(owned);
  });

  test("never exceeds its bounds and keeps an entry of every address while there are fewer addresses than half of the entries", () => {
    const attempt = fc.record({
      address: fc.integer({ min: 0, max: 18 }),
      identity: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 400 }), (attempts) => {
        const list = createList();
        const addresses = new Set<string>();
        for (const [now, { address, identity }] of attempts.entries()) {
          addresses.add(`10.0.0.${address}`);
          list.record(refusal(`10.0.0.${address}`, `${identity}`), now);
          if (list.size > LIMITS.entriesMax) return false;
        }
        const isCounted = list.size === LIMITS.entriesMax || countOf(list) === attempts.length;
        return isCounted && [...addresses].every((address) => sizeOf(list, address) > 0);
      }),
    );
  });
});

const countOf = (list: RefusalList) => list.list().reduce((sum, { count }) => sum + count, 0);

describe("storage", () => {
  test("reports each changed entry once, and the removed ones", () => {
    const list = createList();
    for (let index = 0; index < 100; index++) list.record(refusal(`10.0.0.${index}`, "guess"), index);
    expect(list.changes().saved.length).toBe(LIMITS.entriesMax);
    expect(list.changes().removed).toEqual([]);
    list.stored();
    expect(list.changes()).toEqual({ saved: [], removed: [] });
    list.record(refusal("10.0.0.99", "guess"), 100);
    expect(list.changes().saved).toMatchObject([{ count: 2 }]);
    for (let index = 100; index < 110; index++) list.record(refusal(`10.0.0.${index}`, "guess"), index);
    expect(list.changes().removed.length).toBe(10);
  });

  test("continues with what was stored", () => {
    const first = createList();
    first.record(refusal("10.0.0.1", "abcd"), 1);
    const second = createList();
    second.restore(first.changes().saved);
    second.record(refusal("10.0.0.1", "abcd"), 2);
    expect(second.list()).toMatchObject([{ count: 2, firstAt: 1, lastAt: 2 }]);
  });

  test("removes what belonged to a tenant or device that was deleted", () => {
    const list = createList();
    list.record(refusal("10.0.0.1", "pump", owned), 1);
    list.record(refusal("10.0.0.1", "user", { tenantId: owned.tenantId }), 2);
    list.record(refusal("10.0.0.1", "stranger"), 3);
    list.removeDevice(owned.deviceId);
    expect(list.size).toBe(2);
    list.removeTenant(owned.tenantId);
    expect(list.list()).toMatchObject([{ identity: { name: "stranger" } }]);
  });
});
