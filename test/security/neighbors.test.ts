import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { DomainError } from "../../src/lib/core/domain-error.ts";
import type { ProfileId } from "../../src/lib/core/ids.ts";
import { createClaimLimits } from "../../src/modules/provisioning/claim-limits.ts";
import { mqttLimits } from "../../src/mqtt/connection/mqtt-limits.ts";
import { ConnectionLimits } from "../../src/mqtt/mqtt-server.ts";
import { defaultConfig } from "../../src/platform/config/config.ts";
import { createClientPasswords } from "../../src/platform/secrets/client-passwords.ts";
import { GUESSES_BURST } from "../../src/platform/secrets/guess-budget.ts";
import { RawClient } from "../mqtt/raw-client.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What one host or tenant does costs no other its place: budgets by address, of all, and of rights that have ended. */

const inNetwork = (host: number, network = "2001:db8:0:1") => `${network}::${host.toString(16)}`;
const peer = (address: string) => ({ address, protocol: "http" as const });

function isTaken(take: () => void): boolean {
  try {
    take();
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.kind === "limited") return false;
    throw error;
  }
}

describe("claims", () => {
  test("of all addresses of an IPv6 /64 have one budget", () => {
    const limits = createClaimLimits(new FakeClock(), () => undefined);
    const taken = Array.from({ length: 400 }, (_, host) => isTaken(() => limits.take(peer(inNetwork(host)))));
    expect(taken.filter(Boolean)).toHaveLength(200);
    expect(isTaken(() => limits.take(peer(inNetwork(1, "2001:db8:0:2"))))).toBe(true);
  });

  test("with wrong keys, from wherever, hold up none with a right key", () => {
    const limits = createClaimLimits(new FakeClock(), () => undefined);
    let failed = 0;
    while (isTaken(() => limits.takeFailed(peer(inNetwork(1, `2001:db8:${(failed >> 4).toString(16)}:1`)))))
      failed++;
    expect(failed).toBe(1_000);
    const right = () => {
      limits.take(peer("192.0.2.7"));
      limits.takeOfProfile(peer("192.0.2.7"), "profile" as ProfileId);
    };
    expect(isTaken(right)).toBe(true);
  });

  test("of one profile hold up none of another", () => {
    const limits = createClaimLimits(new FakeClock(), () => undefined);
    const of = (profileId: string) => () => limits.takeOfProfile(peer("192.0.2.7"), profileId as ProfileId);
    while (isTaken(of("greedy")));
    expect(isTaken(of("other"))).toBe(true);
  });
});

test("MQTT connections are counted by IPv6 /64", () => {
  const limits = new ConnectionLimits({ ...mqttLimits(defaultConfig()), connectionsPerAddressMax: 2 });
  expect([1, 2, 3].map((host) => limits.enter(inNetwork(host)))).toEqual([true, true, false]);
  limits.leave(inNetwork(3));
  limits.leave(inNetwork(2));
  expect(limits.enter(inNetwork(4))).toBe(true);
  expect(limits.enter("192.0.2.7")).toBe(true);
});

test("guesses at a password are counted by IPv6 /64", async () => {
  const clock = new FakeClock();
  const passwords = createClientPasswords({ clock });
  const passwordHash = await passwords.hash("the right password");
  const verify = (host: number) =>
    passwords.verify({
      credentialId: "device",
      passwordHash,
      password: Buffer.from(`guess ${host}`),
      address: inNetwork(host),
      canWait: true,
      isGone: () => false,
    });
  for (let host = 0; host < GUESSES_BURST; host++) expect(await verify(host)).toBe("wrong");
  let hasWaited = false;
  const next = Promise.resolve(verify(GUESSES_BURST)).then((verdict) => [hasWaited, verdict]);
  await verify(0); // known to be wrong, so it does not wait
  hasWaited = true;
  clock.advance(1_000);
  expect(await next).toEqual([true, "wrong"]);
});

describe("an MQTT client whose right to a topic is withdrawn", () => {
  let fixture: TestApp;
  beforeAll(async () => {
    fixture = await createTestApp();
  });
  afterAll(() => fixture.stop());

  test("leaves no will there", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER");
    const create = async (name: string) =>
      (
        await fixture.call("POST", "/api/mqtt/clients", {
          token,
          body: { name, signIn: "PASSWORD", username: name, publish: ["#"], subscribe: ["#"] },
        })
      ).body;
    const [leaving, listening] = [await create("leaving"), await create("listening")];
    const listener = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: listening.username,
      password: listening.password,
    });
    const received: string[] = [];
    listener.on("message", (topic) => received.push(topic));
    await listener.subscribeAsync("#");
    const client = await RawClient.connect(fixture.app.mqttPort, 5, {
      username: leaving.username,
      password: Buffer.from(leaving.password),
      clientId: "leaving",
      will: { topic: "secret/place", payload: Buffer.from("gone"), qos: 1, retain: true },
    });
    await fixture.call("PATCH", `/api/mqtt/clients/${leaving.mqttClientId}`, {
      token,
      body: { publish: ["other/#"] },
    });
    await client.end();
    await listener.publishAsync("fence", "", { qos: 1 });
    await until(() => received.includes("fence"), "what was published after it");
    expect(received).toEqual(["fence"]);
    await listener.endAsync();
  });
});
