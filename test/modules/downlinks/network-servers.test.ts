import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DomainError } from "../../../src/lib/core/domain-error.ts";
import {
  type Outgoing,
  type OutgoingDownlink,
  toNetwork,
  trustedPushUrl,
} from "../../../src/modules/downlinks/network-servers.ts";
import type { DownlinkSettings } from "../../../src/modules/integrations/integrations.types.ts";

const BASE = "https://eu1.cloud.example";
const settings: DownlinkSettings = { url: BASE, apiKey: "key", webhookId: "hook" };
const input = (more: Partial<OutgoingDownlink> = {}): OutgoingDownlink => ({
  downlink: { downlinkId: "d-1", deviceKey: "0102030405060708", confirmed: false, priority: null },
  fPort: 3,
  content: { data: "AA==" },
  settings,
  route: { applicationId: "works", networkDeviceId: "press-7" },
  ...more,
});
const urlOf = (outgoing: Outgoing): string => (outgoing.way === "rest" ? outgoing.request.url : "");
const topicOf = (outgoing: Outgoing): string => (outgoing.way === "mqtt" ? outgoing.message.topic : "");

describe("an address to push to that comes with a message", () => {
  const path = "/api/v3/as/applications/a/webhooks/w/devices/d/down/push";
  test("is taken where it is the push operation of the server that is set", () => {
    expect(trustedPushUrl(`${BASE}${path}`, BASE)).toBe(`${BASE}${path}`);
    expect(trustedPushUrl(`${BASE}:443${path}`, `${BASE}/`)).toBe(`${BASE}${path}`);
  });
  test("is not taken anywhere else", () => {
    const others = [
      undefined,
      "",
      path,
      `http://eu1.cloud.example${path}`,
      `https://eu1.cloud.example:8443${path}`,
      `https://eu1.cloud.example.evil.example${path}`,
      `https://user:pass@eu1.cloud.example${path}`,
      `https://evil.example/?${BASE}${path}`,
      `${BASE}/api/v3/applications/a`,
      `${BASE}${path}/../replace`,
      `${BASE}${path}?x=1`,
      `${BASE}${path}#x`,
      `${BASE}/api/v3/as/applications/a/webhooks/w/devices/d/e/down/push`,
    ];
    for (const other of others) expect(trustedPushUrl(other, BASE)).toBeUndefined();
    expect(trustedPushUrl(`${BASE}${path}`, undefined)).toBeUndefined();
  });
});

test("names that strangers chose stay one part of the path or topic, or are refused", () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.constantFrom("a/b", "..", "a/../..", "+", "#", "a?b", "a b", "%2e%2e"),
  );
  fc.assert(
    fc.property(name, name, (applicationId, networkDeviceId) => {
      const route = { applicationId, networkDeviceId, topicApplication: applicationId };
      const levels = (create: () => string): number | undefined => {
        try {
          return create().split("/").length;
        } catch (error) {
          if (error instanceof DomainError && error.kind === "invalid") return undefined;
          throw error;
        }
      };
      const path = levels(() => new URL(urlOf(toNetwork("THE_THINGS_STACK", input({ route })))).pathname);
      const topic = levels(() =>
        topicOf(toNetwork("THE_THINGS_STACK", input({ route, settings: { via: "mqtt" } }))),
      );
      const command = levels(() =>
        topicOf(toNetwork("CHIRPSTACK", input({ route, settings: { via: "mqtt" } }))),
      );
      expect([undefined, 12]).toContain(path);
      expect([undefined, 6]).toContain(topic);
      expect([undefined, 6]).toContain(command);
    }),
    { numRuns: 500 },
  );
});

test("an address with a path of its own keeps it", () => {
  const behind = { ...settings, url: "http://10.0.0.5/chirpstack/" };
  expect(urlOf(toNetwork("CHIRPSTACK", input({ settings: behind })))).toBe(
    "http://10.0.0.5/chirpstack/api/devices/0102030405060708/queue",
  );
});

test("a device that has no dev EUI is reached at The Things Stack, and not at ChirpStack", () => {
  const downlink = { downlinkId: "d", deviceKey: "id:abp-1", confirmed: false, priority: null };
  const outgoing = input({ downlink, route: { applicationId: "works" } });
  expect(urlOf(toNetwork("THE_THINGS_STACK", outgoing))).toEndWith("/devices/abp-1/down/push");
  expect(() => toNetwork("CHIRPSTACK", outgoing)).toThrow("dev EUI");
  expect(() => toNetwork("HTTP", outgoing)).toThrow("ChirpStack and The Things Stack");
});
