import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "mqtt";
import { BridgeFleet, type FleetMember } from "../../../../src/modules/integrations/bridge/bridge-fleet.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { createMosquitto, hasMosquitto, type Mosquitto } from "../../../support/mosquitto.ts";
import { until } from "../../../support/until.ts";
import { allAddresses, hasty, TENANT } from "./bridge-fixture.ts";

const fleets = new Set<BridgeFleet>();
afterEach(async () => {
  for (const fleet of fleets) await fleet.stop();
  fleets.clear();
});

function rig(members: Map<string, FleetMember>) {
  const taken: string[] = [];
  const problems: [string, string | undefined][] = [];
  const fleet = new BridgeFleet({
    list: () => [...members.values()],
    find: (integrationId) => members.get(integrationId),
    take: async (integrationId, { bytes }) => void taken.push(`${integrationId} ${Buffer.from(bytes)}`),
    onProblem: (integrationId, problem) => problems.push([integrationId, problem?.code]),
    onChange: () => undefined,
    addresses: allAddresses(),
    topics: {
      follow: () => () => undefined,
      retained: () => [],
      newest: () => [],
      publish: () => Promise.resolve(),
    },
    clock: hasty,
    random: () => 0,
    log: createLogger("fleet"),
  });
  fleets.add(fleet);
  const set = (integrationId: string, member: Partial<FleetMember> | undefined) => {
    const before = members.get(integrationId) ?? {
      integrationId,
      tenantId: TENANT,
      isRunning: true,
      settings: undefined,
    };
    if (member === undefined) members.delete(integrationId);
    else members.set(integrationId, { ...before, ...member });
    fleet.refresh(integrationId);
  };
  const connected = (integrationId: string) =>
    until(() => fleet.stateOf(integrationId)?.status === "connected", `${integrationId} to connect`);
  const gone = (integrationId: string) =>
    until(() => fleet.stateOf(integrationId) === undefined, `${integrationId} to go`);
  return { fleet, taken, problems, set, connected, gone };
}

describe.skipIf(!hasMosquitto)("bridges of all integrations", () => {
  let broker: Mosquitto;
  let brokerUrl: string;
  beforeAll(async () => {
    broker = await createMosquitto();
    brokerUrl = `mqtt://127.0.0.1:${broker.port}`;
  });
  afterAll(() => broker.stop());

  /** Whether the broker knows a client of this name. Asking makes it known, where it was not. */
  async function hasSession(clientId: string): Promise<boolean> {
    const client = connect(brokerUrl, { clientId, clean: false, reconnectPeriod: 0 });
    const { promise, resolve } = Promise.withResolvers<boolean>();
    client.once("connect", ({ sessionPresent }) => resolve(sessionPresent));
    const response = await promise;
    await client.endAsync();
    return response;
  }

  test("those that are switched on connect at the start, the others when they are started", async () => {
    const members = new Map<string, FleetMember>([
      [
        "a",
        {
          integrationId: "a",
          tenantId: TENANT,
          isRunning: true,
          settings: { brokerUrl, topicFilter: "a/#" },
        },
      ],
      [
        "b",
        {
          integrationId: "b",
          tenantId: TENANT,
          isRunning: false,
          settings: { brokerUrl, topicFilter: "b/#" },
        },
      ],
      ["c", { integrationId: "c", tenantId: TENANT, isRunning: true, settings: undefined }],
    ]);
    const { fleet, taken, problems, set, connected, gone } = rig(members);
    fleet.start();
    await connected("a");
    expect([fleet.stateOf("b"), fleet.stateOf("c")]).toEqual([undefined, undefined]);
    expect(problems).toEqual([["a", undefined]]);
    set("b", { isRunning: true });
    await connected("b");
    const client = await broker.client();
    await client.publishAsync("a/x", "1", { qos: 1 });
    await client.publishAsync("b/x", "2", { qos: 1 });
    await until(() => taken.length === 2, "both messages");
    expect(taken.sort()).toEqual(["a 1", "b 2"]);
    set("a", { isRunning: false });
    await gone("a");
    await client.publishAsync("a/x", "3", { qos: 1 });
    set("a", { isRunning: true });
    await until(() => taken.includes("a 3"), "what came meanwhile");
  });

  test("a change of settings takes effect at once, and a change of something else disturbs nothing", async () => {
    const members = new Map<string, FleetMember>();
    const { fleet, taken, set, connected } = rig(members);
    fleet.start();
    set("d", { settings: { brokerUrl, topicFilter: ["d/one", "d/both"] } });
    await connected("d");
    const since = fleet.stateOf("d")?.since;
    set("d", {});
    set("e", { settings: { brokerUrl, topicFilter: "e/#" } }); // whose connection comes after any change of d's
    await connected("e");
    expect(fleet.stateOf("d")?.since).toBe(since);
    const former = fleet.stateOf("d");
    set("d", { settings: { brokerUrl, topicFilter: ["d/two", "d/both"] } });
    await until(
      () => fleet.stateOf("d")?.subscriptions.some(({ filter }) => filter === "d/two") ?? false,
      "the new subscription",
    );
    expect(former?.status).toBe("connected");
    const client = await broker.client();
    for (const name of ["one", "two", "both"]) await client.publishAsync(`d/${name}`, name, { qos: 1 });
    await until(() => taken.length === 2, "two messages");
    expect(taken).toEqual(["d two", "d both"]);
    expect(fleet.stateOf("d")?.counts).toMatchObject({ received: 2, ignored: 0 });
  });

  test.each([
    ["deleted", undefined],
    ["without a broker", { settings: undefined }],
  ] as const)("one that is %s leaves no session at its broker", async (how, change) => {
    const clientId = `leaves ${how}`;
    const { fleet, set, connected, gone } = rig(new Map());
    fleet.start();
    set("e", { settings: { brokerUrl, topicFilter: "e/#", clientId } });
    await connected("e");
    await fleet.stop();
    expect(await hasSession(clientId)).toBe(true);
    fleet.start();
    await connected("e");
    set("e", change);
    await gone("e");
    await until(async () => !(await hasSession(clientId)));
  });

  test("a problem is reported for each attempt that fails, and its end once", async () => {
    const members = new Map<string, FleetMember>();
    const { fleet, problems, set } = rig(members);
    fleet.start();
    const other = await createMosquitto();
    const settings = { brokerUrl: `mqtt://127.0.0.1:${other.port}`, topicFilter: "f/#" };
    await other.kill("SIGTERM");
    set("f", { settings });
    await until(() => (fleet.stateOf("f")?.failedAttempts ?? 0) >= 2, "two attempts");
    expect(problems.length).toBeGreaterThanOrEqual(2);
    await other.start();
    await until(() => problems.at(-1)?.[1] === undefined, "the end of the problem");
    expect(problems.slice(0, -1).every(([, code]) => code === "network_error.refused")).toBe(true);
    await other.stop();
  });

  test("publishes through the one that is named", async () => {
    const members = new Map<string, FleetMember>();
    const { fleet, taken, set, connected } = rig(members);
    fleet.start();
    set("g", { settings: { brokerUrl, topicFilter: "g/#" } });
    await connected("g");
    await fleet.publish("g", { topic: "g/x", payload: "hello", qos: 1 });
    await until(() => taken.length === 1, "the message");
    expect(
      await fleet.publish("h", { topic: "g/x", payload: "hello", qos: 1 }).catch(({ kind }) => kind),
    ).toBe("unavailable");
  });

  test("refuses what is larger than the broker's largest packet, and stays connected", async () => {
    const small = await createMosquitto({ lines: ["max_packet_size 200"] });
    const { fleet, taken, set, connected } = rig(new Map());
    fleet.start();
    const settings = {
      brokerUrl: `mqtt://127.0.0.1:${small.port}`,
      protocolVersion: 5 as const,
      topicFilter: "#",
    };
    set("s", { settings });
    await connected("s");
    const publish = (bytes: number) =>
      fleet.publish("s", { topic: "s/x", payload: "x".repeat(bytes), qos: 1 }).catch(({ code }) => code);
    expect(await publish(250)).toBe("integration.message_too_large");
    expect(await publish(100)).toBeUndefined();
    await until(() => taken.length === 1, "the message");
    expect(fleet.stateOf("s")).toMatchObject({ status: "connected", failedAttempts: 0 });
    await small.stop();
  });
});
