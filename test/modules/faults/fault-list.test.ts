import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { FaultList } from "../../../src/modules/faults/fault-list.ts";
import type { Fault, FaultEntry, FaultSubject } from "../../../src/modules/faults/faults.types.ts";

const HOUR_MS = 3_600_000;
const LIMITS = { entriesMax: 40, perHolderMax: 5, staleMs: HOUR_MS };
const tenantOne = "one" as TenantId;
const tenantTwo = "two" as TenantId;
const pump = { kind: "device", id: "pump" } as const;

function createList(limits = LIMITS) {
  let ids = 0;
  return new FaultList(limits, () => String(++ids));
}

const refusal = (address: string, name: string, more: Partial<Fault> = {}): Fault => ({
  source: "mqtt",
  code: "refusal.token_wrong",
  params: {},
  protocol: "mqtt",
  address,
  identity: { kind: "token", name },
  ...more,
});
const fault = (subject: FaultSubject, where: string, more: Partial<Fault> = {}): Fault => ({
  source: "mqtt",
  code: "body.malformed",
  params: { format: "JSON" },
  tenantId: tenantOne,
  subject,
  where,
  ...more,
});
const owned = { tenantId: tenantOne, subject: pump };
const countOf = (entries: readonly FaultEntry[]) => entries.reduce((sum, { count }) => sum + count, 0);
const sizeOf = (list: FaultList, address: string) =>
  list.list().filter((entry) => entry.address === address).length;

describe("aggregation", () => {
  test("counts faults that differ only in their time in one entry", () => {
    const list = createList();
    for (const now of [1, 2, 3]) list.record(refusal("10.0.0.1", "abcd"), now);
    expect(list.list()).toMatchObject([{ count: 3, firstAt: 1, lastAt: 3 }]);
  });

  test("counts what is reported together", () => {
    const list = createList();
    list.record(fault(pump, "a", { count: 5 }), 1);
    list.record(fault(pump, "a"), 2);
    list.record(fault(pump, "a", { count: 10 }), 3);
    expect(list.list()).toMatchObject([{ count: 16, firstAt: 1, lastAt: 3 }]);
  });

  test("takes parts of the message among the parameters from the newest one", () => {
    const list = createList();
    for (const number of ["5.1", "5.2"])
      list.record(fault(pump, "t", { code: "telemetry.ts_number", params: { number } }), 1);
    expect(list.list()).toMatchObject([{ count: 2, params: { number: "5.2" } }]);
  });

  test.each([
    ["v1/devices/Zq9Kf7Lm2Xw8Rt5Y/me", "v1/devices/Zq9Kf7Lm2Xw8Rt5Y/me"],
    ["/api/v1/Zq9Kf7Lm2Xw8Rt5Y/telemetry", "/api/v1/Zq9K************/telemetry"],
    ["plant/token=Zq9Kf7Lm2Xw8Rt5Y", "plant/token=Zq9K************"],
  ])("shows the place %s without a secret", (where, shown) => {
    const list = createList();
    list.record(fault(pump, where), 1);
    expect(list.list()).toMatchObject([{ where: shown }]);
  });

  test("takes numbers and times among the parameters from the newest one, at any depth", () => {
    const list = createList();
    const reason = (count: number, from: string) => ({ code: "run_result.missed", params: { count, from } });
    const record = (count: number, from: string) =>
      list.record(fault(pump, "t", { params: { reason: reason(count, from) } }), 1);
    record(1, "2026-03-01T00:01:00.000Z");
    record(2, "2026-03-02T00:01:00.000Z");
    record(2, "the second of March");
    expect(list.list()).toMatchObject([
      { count: 1 },
      { count: 2, params: { reason: reason(2, "2026-03-02T00:01:00.000Z") } },
    ]);
  });

  test("takes numbers, sample and client from the newest one", () => {
    const list = createList();
    const record = (bytes: number, sample: string, client: string) =>
      list.record(fault(pump, "t", { params: { topic: "t", bytes }, sample, client }), bytes);
    record(1, "first", "one");
    record(2, "second", "two\u0000");
    expect(list.list()).toMatchObject([
      { count: 2, params: { topic: "t", bytes: 2 }, sample: "second", client: "two\uFFFD" },
    ]);
  });

  test("lists another source, place, thing, identity, reason or name among the parameters separately, the newest first", () => {
    const list = createList();
    const entries: readonly Fault[] = [
      refusal("10.0.0.1", "abcd"),
      refusal("10.0.0.2", "abcd"),
      refusal("10.0.0.1", "efgh"),
      refusal("10.0.0.1", "abcd", { source: "webhook" }),
      refusal("10.0.0.1", "abcd", { code: "refusal.too_many_tries" }),
      fault(pump, "t"),
      fault(pump, "t", { params: { format: "CBOR" } }),
      fault(pump, "another"),
      fault({ kind: "mqtt_client", id: "pump" }, "t"),
    ];
    for (const [now, entry] of entries.entries()) list.record(entry, now);
    expect(list.list().map(({ lastAt }) => lastAt)).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
    list.record(refusal("10.0.0.1", "abcd"), 9);
    expect(list.list()[0]).toMatchObject({ count: 2, lastAt: 9 });
  });
});

test("a place is short and printable, whoever chose it", () => {
  const list = createList();
  list.record(fault(pump, `a\u0000\n${"x".repeat(70_000)}`), 1);
  const [entry] = list.list();
  expect(entry?.where?.length).toBeLessThanOrEqual(257);
  expect(entry?.where).not.toMatch(/\p{Cc}/u);
});

describe("shares", () => {
  test("counts what an address tries beyond its share in one entry", () => {
    const list = createList();
    for (let index = 0; index < 1_000; index++) list.record(refusal("10.0.0.1", `guess ${index}`), index);
    expect(list.size).toBe(LIMITS.perHolderMax + 1);
    expect(list.list()[0]).toMatchObject({ identity: { kind: "others" }, count: 995 });
  });

  test("counts what an address tries of many devices in its own share", () => {
    const list = createList();
    list.record(fault({ kind: "device", id: "silent" }, "t"), 0);
    for (let index = 0; index < 1_000; index++) {
      const subject = { kind: "device", id: `device ${index}` } as const;
      list.record(refusal("10.0.0.1", `${index}`, { tenantId: tenantOne, subject }), index);
    }
    expect(list.size).toBe(LIMITS.perHolderMax + 2);
    expect(list.about({ kind: "device", id: "silent" })).toHaveLength(1);
  });

  test("counts the addresses of one IPv6 network as one", () => {
    const list = createList();
    for (let index = 0; index < 1_000; index++)
      list.record(refusal(`2001:db8::${index.toString(16)}`, "guess"), index);
    expect(list.size).toBe(LIMITS.perHolderMax + 1);
  });

  test("gives the place of an old entry to a new one of the same address", () => {
    const list = createList();
    for (let index = 0; index < LIMITS.perHolderMax; index++) list.record(refusal("10.0.0.1", `${index}`), 0);
    list.record(refusal("10.0.0.1", "new"), HOUR_MS);
    expect(list.list()[0]).toMatchObject({ identity: { name: "new" } });
    expect(list.size).toBe(LIMITS.perHolderMax);
  });

  test("keeps the newest faults of a thing", () => {
    const list = createList();
    for (let index = 0; index < 100; index++) list.record(fault(pump, `topic ${index}`), index);
    expect(list.about(pump).map(({ where }) => where)).toEqual([
      "topic 99",
      "topic 98",
      "topic 97",
      "topic 96",
      "topic 95",
    ]);
  });

  test("keeps what belongs to a tenant while strangers come from any number of addresses", () => {
    const list = createList();
    list.record(refusal("10.0.0.1", "pump", owned), 0);
    for (let index = 0; index < 10_000; index++)
      list.record(refusal(`10.1.${index >> 8}.${index & 255}`, "guess"), index);
    expect(list.size).toBe(LIMITS.entriesMax);
    expect(list.list().at(-1)).toMatchObject(owned);
  });

  test("keeps the entry and the count of a thing that goes on failing while others come and go", () => {
    const list = createList();
    for (let index = 0; index < 1_000; index++) {
      list.record(fault({ kind: "device", id: `device ${index}` }, "t"), index);
      if (index % 10 === 0) list.record(fault(pump, "t"), index);
    }
    expect(list.about(pump)).toMatchObject([{ count: 100 }]);
    expect(list.size).toBe(LIMITS.entriesMax);
  });

  test("keeps what belongs to a tenant while any number of another tenant's things fail", () => {
    const list = createList();
    for (let index = 0; index < 20; index++)
      list.record(fault({ kind: "device", id: `theirs ${index}` }, "t", { tenantId: tenantTwo }), index);
    for (let index = 0; index < 10_000; index++)
      list.record(fault({ kind: "device", id: `device ${index}` }, "t"), index);
    expect(list.list().filter(({ tenantId }) => tenantId === tenantTwo)).toHaveLength(20);
  });
});

describe("random faults of two tenants and of strangers", () => {
  const occurrence = fc.record({
    tenant: fc.constantFrom(tenantOne, tenantTwo, undefined),
    thing: fc.integer({ min: 0, max: 12 }),
    place: fc.integer({ min: 0, max: 8 }),
    isRestart: fc.integer({ min: 0, max: 9 }).map((number) => number === 9),
  });
  const faultOf = (tenant: TenantId | undefined, thing: number, place: number): Fault =>
    tenant === undefined
      ? refusal(`10.0.0.${thing}`, `${place}`)
      : fault({ kind: "device", id: `${tenant} ${thing}` }, `${place}`, { tenantId: tenant });

  test("never exceed a bound, always list the newest one, and never cost a silent tenant or thing its entries", () => {
    fc.assert(
      fc.property(fc.array(occurrence, { maxLength: 400 }), (occurrences) => {
        const list = createList();
        const silent = { kind: "device", id: "silent" } as const;
        list.record(fault(silent, "t", { tenantId: tenantTwo }), 0);
        for (const [now, { tenant, thing, place }] of occurrences.entries()) {
          const recorded = list.record(faultOf(tenant, thing, place), now + 1);
          expect(list.size).toBeLessThanOrEqual(LIMITS.entriesMax);
          expect(list.list()[0]?.lastAt).toBe(now + 1);
          if (tenant !== undefined) expect(list.about(recorded.subject!)).toContain(recorded);
        }
        for (const tenant of [tenantOne, tenantTwo])
          for (let thing = 0; thing <= 12; thing++)
            expect(list.about({ kind: "device", id: `${tenant} ${thing}` }).length).toBeLessThanOrEqual(
              LIMITS.perHolderMax,
            );
        const tenants = new Set(occurrences.map(({ tenant }) => tenant));
        const ofSilent = list.list().filter(({ tenantId }) => tenantId === tenantTwo).length;
        if (!tenants.has(tenantTwo)) expect(ofSilent).toBe(1);
      }),
    );
  });

  test("are the same list after a restart at any moment", () => {
    fc.assert(
      fc.property(fc.array(occurrence, { maxLength: 200 }), (occurrences) => {
        const rows = new Map<string, FaultEntry>();
        let list = createList();
        const flush = (isUrgent: boolean) => {
          const changes = list.changes(isUrgent);
          for (const entry of changes.saved) rows.set(entry.faultId, structuredClone(entry));
          for (const faultId of changes.removed) rows.delete(faultId);
          list.stored(changes);
        };
        let ids = 0;
        for (const [now, { tenant, thing, place, isRestart }] of occurrences.entries()) {
          list.record(faultOf(tenant, thing, place), now);
          flush(now % 3 !== 0);
          if (!isRestart) continue;
          flush(false);
          const before = list.list();
          list = new FaultList(LIMITS, () => `restart ${now}.${++ids}`);
          list.restore([...rows.values()].sort((left, right) => left.lastAt - right.lastAt));
          expect(list.list()).toEqual(before);
          expect(list.changes()).toEqual({ saved: [], removed: [] });
        }
      }),
    );
  });
});

describe("storage", () => {
  test("reports each changed entry once, and the removed ones", () => {
    const list = createList();
    for (let index = 0; index < 100; index++) list.record(refusal(`10.0.0.${index}`, "guess"), index);
    const changes = list.changes();
    expect(changes.saved.length).toBe(LIMITS.entriesMax);
    expect(changes.removed).toEqual([]);
    list.stored(changes);
    expect(list.changes()).toEqual({ saved: [], removed: [] });
    list.record(refusal("10.0.0.99", "guess"), 100);
    expect(list.changes().saved).toMatchObject([{ count: 2 }]);
    for (let index = 100; index < 110; index++) list.record(refusal(`10.0.0.${index}`, "guess"), index);
    expect(list.changes().removed.length).toBe(10);
  });

  test("has to write new entries of tenants soon, and neither counts nor what strangers cause", () => {
    const list = createList();
    list.record(refusal("10.0.0.1", "stranger"), 1);
    list.record(refusal("10.0.0.2", "pump", owned), 1);
    list.record(fault(pump, "t"), 2);
    const urgent = list.changes(true);
    expect(urgent.saved).toMatchObject([{ subject: pump }]);
    list.stored(urgent);
    list.record(fault(pump, "t"), 3);
    expect(list.changes(true).saved).toEqual([]);
    expect(countOf(list.changes().saved)).toBe(4);
  });

  test("removes what belonged to a tenant or device that was deleted", () => {
    const list = createList();
    list.record(refusal("10.0.0.1", "pump", owned), 1);
    list.record(fault(pump, "t"), 1);
    list.record(refusal("10.0.0.1", "user", { tenantId: tenantOne }), 2);
    list.record(refusal("10.0.0.1", "stranger"), 3);
    expect(sizeOf(list, "10.0.0.1")).toBe(3);
    list.removeAbout(pump);
    expect(list.size).toBe(2);
    list.removeTenant(tenantOne);
    expect(list.list()).toMatchObject([{ identity: { name: "stranger" } }]);
  });
});
