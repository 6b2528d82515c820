import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { clientFilterMatches } from "../../../src/lib/mqtt/reserved-topics.ts";
import { SharedGroups } from "../../../src/mqtt/broker/shared-groups.ts";
import {
  CREDENTIAL_SUBSCRIPTIONS_MAX,
  FILTER_LEVELS_MAX,
  SubscriptionCounts,
  TENANT_SUBSCRIPTIONS_MAX,
} from "../../../src/mqtt/broker/subscription-counts.ts";
import type { MqttAuthentication } from "../../../src/mqtt/mqtt.types.ts";
import { until } from "../../support/until.ts";
import { RawClient } from "../raw-client.ts";
import { serverPerTest } from "../running.ts";

const startMqtt = serverPerTest();
const QUOTA_EXCEEDED = 0x97;

const authenticate = ({ username = "" }: { username?: string | undefined }): MqttAuthentication => ({
  ok: true,
  application: {
    applicationId: username,
    tenantId: "tenant" as TenantId,
    revoked: false,
    maySubscribe: () => true,
    mayPublish: () => true,
  },
});

let messageId = 0;

async function subscribe(client: RawClient, filters: readonly string[]): Promise<number[]> {
  client.send({
    cmd: "subscribe",
    messageId: ++messageId,
    subscriptions: filters.map((topic) => ({ topic, qos: 0 as const })),
  });
  return [...(await client.next("suback")).granted] as number[];
}

const filtersOf = (client: number, count: number) =>
  Array.from({ length: count }, (_, index) => `t/${client}/${index}`);

test("subscriptions of all connections of a credential are counted, also without a durable session", async () => {
  const mqtt = await startMqtt({ authenticate });
  const clients = [];
  const perClient = 1_000;
  const full = CREDENTIAL_SUBSCRIPTIONS_MAX.subscriptions / perClient;
  for (let index = 0; index < full; index++) {
    const client = await RawClient.connect(mqtt.port, 5, { username: "one", clientId: `c${index}` });
    clients.push(client);
    expect(new Set(await subscribe(client, filtersOf(index, perClient)))).toEqual(new Set([0]));
  }
  const late = await RawClient.connect(mqtt.port, 5, { username: "one", clientId: "late" });
  expect(await subscribe(late, ["a", "b"])).toEqual([QUOTA_EXCEEDED, QUOTA_EXCEEDED]);
  expect(mqtt.server.usageOf("tenant")).toMatchObject({
    subscriptions: CREDENTIAL_SUBSCRIPTIONS_MAX.subscriptions,
    subscriptionsRefused: 2,
  });
  // Another credential of the tenant is not touched by it, and a connection that ends gives its room back.
  const other = await RawClient.connect(mqtt.port, 5, { username: "two", clientId: "other" });
  expect(await subscribe(other, ["a"])).toEqual([0]);
  clients[0]?.drop();
  await until(
    () => mqtt.server.usageOf("tenant").subscriptions < CREDENTIAL_SUBSCRIPTIONS_MAX.subscriptions,
    "the end of a connection",
  );
  expect(await subscribe(late, ["a", "b"])).toEqual([0, 0]);
});

test("a filter of an application has at most 32 levels", async () => {
  const mqtt = await startMqtt({ authenticate });
  const client = await RawClient.connect(mqtt.port, 5, { username: "one", clientId: "c" });
  const deep = (levels: number) => Array(levels).fill("x").join("/");
  expect(await subscribe(client, [deep(FILTER_LEVELS_MAX), deep(FILTER_LEVELS_MAX + 1)])).toEqual([
    0,
    QUOTA_EXCEEDED,
  ]);
  expect(mqtt.server.usageOf("tenant")).toMatchObject({ subscriptions: 1, subscriptionsRefused: 1 });
});

describe("the room for subscriptions", () => {
  const owner = (credentialId: string) => ({ tenantId: "t", credentialId });

  test.each([
    ["subscriptions", (index: number) => `a/${index}`],
    ["levels", (index: number) => `${"x/".repeat(30)}${index}`],
    ["bytes", (index: number) => `${"x".repeat(1_000)}${index}`],
  ] as const)("ends by %s, of a credential and of a tenant", (unit, filterOf) => {
    const counts = new SubscriptionCounts();
    const fill = (credentialId: string): number => {
      for (let index = 0; ; index++) {
        if (!counts.room(owner(credentialId))(filterOf(index))) return index;
        counts.add(owner(credentialId), filterOf(index));
      }
    };
    expect(fill("one")).toBeGreaterThan(100);
    const ofOne = counts.ofTenant("t")[unit];
    expect(ofOne).toBeLessThanOrEqual(CREDENTIAL_SUBSCRIPTIONS_MAX[unit]);
    fill("two");
    fill("three");
    expect(counts.ofTenant("t")[unit]).toBeLessThanOrEqual(TENANT_SUBSCRIPTIONS_MAX[unit]);
    expect(counts.ofTenant("t")[unit]).toBeGreaterThan(ofOne);
  });
});

test("the filters of one packet count together", () => {
  const hasRoom = new SubscriptionCounts().room({ tenantId: "t", credentialId: "c" });
  let granted = 0;
  while (hasRoom(`a/${granted}`)) granted++;
  expect(granted).toBe(CREDENTIAL_SUBSCRIPTIONS_MAX.subscriptions);
});

test("groups are found by topic as each of them would match, whoever joins and leaves", () => {
  const level = fc.constantFrom("a", "b", "+", "");
  const filter = fc
    .tuple(fc.array(level, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([levels, isOpen]) => [...levels, ...(isOpen ? ["#"] : [])].join("/"))
    .filter((text) => text !== "");
  const name = fc.tuple(fc.constantFrom("g1", "g2"), filter).map((parts) => `$share/${parts.join("/")}`);
  const step = fc.record({ isJoining: fc.boolean(), name, key: fc.constantFrom("k1", "k2", "k3") });
  const topic = fc
    .array(fc.constantFrom("a", "b", ""), { minLength: 1, maxLength: 3 })
    .map((levels) => levels.join("/"))
    .filter((text) => text !== "");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), topic, (steps, published) => {
      const groups = new SharedGroups();
      const by = {};
      const members = new Map<string, Set<string>>();
      for (const { isJoining, name: group, key } of steps) {
        const of = members.get(group) ?? new Set();
        members.set(group, of);
        if (isJoining) groups.join("space", group, { key, qos: 0, by });
        else groups.leave("space", group, { key, by });
        if (isJoining) of.add(key);
        else of.delete(key);
      }
      const expected = [...members]
        .filter(
          ([group, of]) => of.size > 0 && clientFilterMatches(group.split("/").slice(2).join("/"), published),
        )
        .map(([, of]) => [...of].sort().join());
      const found = groups.match("space", published).map((group) => [...group.members.keys()].sort().join());
      expect(found.sort()).toEqual(expected.sort());
    }),
  );
});

test("a later connection keeps the place that it took of an earlier one", () => {
  const groups = new SharedGroups();
  const [earlier, later] = [{}, {}];
  groups.join("space", "$share/g/t", { key: "k", qos: 0, by: earlier });
  groups.join("space", "$share/g/t", { key: "k", qos: 1, by: later });
  groups.leave("space", "$share/g/t", { key: "k", by: earlier });
  expect(groups.match("space", "t")).toHaveLength(1);
  groups.leave("space", "$share/g/t", { key: "k", by: later });
  expect(groups.match("space", "t")).toEqual([]);
});
