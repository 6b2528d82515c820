import { inEnglish } from "../../../../src/lib/core/domain-error.ts";
import "reflect-metadata";
import { afterEach, describe, expect, test } from "bun:test";
import type { MqttBridge } from "../../../../src/modules/integrations/bridge/mqtt-bridge.ts";
import {
  createAuthority,
  createServerCertificate,
} from "../../../../src/platform/network/tls-certificates.ts";
import { systemClock } from "../../../../src/platform/time/clock.ts";
import { createClientCertificate } from "../../../support/client-certificate.ts";
import { createMosquitto, hasMosquitto, passwordLine } from "../../../support/mosquitto.ts";
import { createWebSocketProxy } from "../../../support/websocket-proxy.ts";
import { type BridgeRig, connected, rigBridge } from "./bridge-fixture.ts";

const bridges = new Set<MqttBridge>();
const stops = new Set<() => Promise<void>>();
const open: typeof rigBridge = (...args) => {
  const rig = rigBridge(...args);
  bridges.add(rig.bridge);
  rig.bridge.start();
  return rig;
};
const start: typeof createMosquitto = async (...args) => {
  const broker = await createMosquitto(...args);
  stops.add(broker.stop);
  return broker;
};
afterEach(async () => {
  for (const bridge of bridges) await bridge.stop();
  for (const stop of stops) await stop();
  bridges.clear();
  stops.clear();
});

const reasonOf = async (rig: BridgeRig) => {
  await rig.until(({ lastError }) => lastError !== null);
  const { lastError } = rig.bridge.state;
  return lastError === null ? null : inEnglish(lastError);
};
const echo = async (rig: BridgeRig, topic: string) => {
  await rig.until(connected);
  await rig.bridge.publish({ topic, payload: "hello", qos: 1 });
  await rig.until(() => rig.texts().includes("hello"));
};

describe.skipIf(!hasMosquitto)("a broker with passwords and rights", () => {
  const secured = async () => {
    const broker = await start({
      listener: (port, directory) => [
        `listener ${port} 127.0.0.1`,
        "allow_anonymous false",
        `password_file ${directory}/passwords`,
        `acl_file ${directory}/rights`,
      ],
      files: {
        passwords: passwordLine("bridge", "secret"),
        rights: "user bridge\ntopic readwrite mine/#\n",
      },
    });
    return `mqtt://127.0.0.1:${broker.port}`;
  };

  test.each([4, 5] as const)(
    "refuses the wrong password, and the bridge says so, MQTT version %p",
    async (protocolVersion) => {
      const brokerUrl = await secured();
      const wrong = open({
        brokerUrl,
        topicFilter: "mine/#",
        protocolVersion,
        credentials: { username: "bridge", password: "wrong" },
      });
      expect(await reasonOf(wrong)).toBe("The broker does not let this user in.");
      const right = open({
        brokerUrl,
        topicFilter: "mine/#",
        protocolVersion,
        clientId: "right",
        credentials: { username: "bridge", password: "secret" },
      });
      await echo(right, "mine/x");
    },
  );
});

async function certificates() {
  const now = systemClock.now();
  const authority = await createAuthority(now, "broker");
  const names = { dns: ["broker.example"], ip: ["127.0.0.1"] };
  return { authority, server: await createServerCertificate(authority, names, now) };
}

describe.skipIf(!hasMosquitto)("a broker with TLS", () => {
  const secured = async (lines: string[] = []) => {
    const { authority, server } = await certificates();
    const broker = await start({
      files: { "ca.pem": authority.cert, "cert.pem": server.cert, "key.pem": server.key },
      listener: (port, directory) => [
        `listener ${port} 127.0.0.1`,
        `cafile ${directory}/ca.pem`,
        `certfile ${directory}/cert.pem`,
        `keyfile ${directory}/key.pem`,
        "allow_anonymous true",
        ...lines,
      ],
    });
    return { authority, brokerUrl: `mqtts://127.0.0.1:${broker.port}`, port: broker.port };
  };

  test("is trusted by its authority, for its name, and by nothing else", async () => {
    const { authority, brokerUrl, port } = await secured();
    const trusting = open({
      brokerUrl,
      topicFilter: "t/#",
      clientId: "trusting",
      credentials: { ca: authority.cert },
    });
    await echo(trusting, "t/x");
    const byConfiguration = open(
      { brokerUrl, topicFilter: "t/#", clientId: "configured" },
      { authorities: [authority.cert] },
    );
    await byConfiguration.until(connected);
    const unknown = open({ brokerUrl, topicFilter: "t/#", clientId: "unknown" });
    expect(await reasonOf(unknown)).toMatch(/certificate/);
    const careless = open({
      brokerUrl,
      topicFilter: "t/#",
      clientId: "careless",
      tls: { rejectUnauthorized: false },
    });
    await careless.until(connected);
    // The name that is looked up is the one that the certificate is held against, not the address that it leads to.
    const named = (host: string) =>
      open(
        {
          brokerUrl: `mqtts://${host}:${port}`,
          topicFilter: "t/#",
          clientId: host,
          credentials: { ca: authority.cert },
        },
        { addresses: { resolve: async () => ["127.0.0.1"] } },
      );
    await named("broker.example").until(connected);
    expect(await reasonOf(named("other.example"))).toMatch(/other\.example|altnames/);
    const renamed = open({
      brokerUrl,
      topicFilter: "t/#",
      clientId: "renamed",
      tls: { serverName: "broker.example" },
      credentials: { ca: authority.cert },
    });
    await renamed.until(connected);
  });

  test("knows the bridge by its certificate", async () => {
    const { authority, brokerUrl } = await secured([
      "require_certificate true",
      "use_identity_as_username true",
    ]);
    const settings = { brokerUrl, topicFilter: "t/#" };
    const nobody = open({ ...settings, clientId: "nobody", credentials: { ca: authority.cert } });
    await nobody.until(({ lastError }) => lastError !== null);
    const own = await createClientCertificate(authority);
    const bridgeRig = open({ ...settings, clientId: "known", credentials: { ca: authority.cert, ...own } });
    await echo(bridgeRig, "t/x");
  });
});

describe.skipIf(!hasMosquitto).each(["ws", "wss"] as const)("a broker behind a web server, %s", (scheme) => {
  test("is spoken with in frames, large messages and pings among them", async () => {
    const { authority, server } = await certificates();
    const broker = await start();
    const proxy = createWebSocketProxy(broker.port, scheme === "wss" ? server : undefined);
    stops.add(proxy.stop);
    const rig = open({
      brokerUrl: `${scheme}://127.0.0.1:${proxy.port}/mqtt?site=1`,
      topicFilter: "t/#",
      protocolVersion: 5,
      credentials: { ca: authority.cert },
    });
    await rig.until(connected);
    const texts = ["", "x", "y".repeat(125), "z".repeat(70_000), "large".repeat(60_000)].map(
      (text) => `>${text}`,
    );
    for (const payload of texts) await rig.bridge.publish({ topic: "t/large", payload, qos: 1 });
    await rig.until(() => rig.messages.length === texts.length);
    expect(rig.texts()).toEqual(texts);
    const [request] = proxy.requests;
    expect(request?.url).toEndWith("/mqtt?site=1");
    expect(request?.headers.get("sec-websocket-protocol")).toBe("mqtt");
  });
});
