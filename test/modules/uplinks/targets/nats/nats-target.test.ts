import "reflect-metadata";
import { afterEach, describe, expect, test } from "bun:test";
import { nkeys } from "@nats-io/transport-node";
import { Value } from "@sinclair/typebox/value";
import type { Target, TargetContext } from "../../../../../src/modules/uplinks/target.types.ts";
import {
  type NatsSettings,
  natsSettings,
} from "../../../../../src/modules/uplinks/targets/nats/nats.schemas.ts";
import { createNatsTarget } from "../../../../../src/modules/uplinks/targets/nats/nats.target.ts";
import {
  createAuthority,
  createServerCertificate,
} from "../../../../../src/platform/network/tls-certificates.ts";
import { createClientCertificate } from "../../../../support/client-certificate.ts";
import { createNats, hasNats, type Nats } from "../../../../support/nats.ts";
import { until } from "../../../../support/until.ts";
import {
  batchOf,
  contextOf,
  deviceOf,
  eventsOf,
  failureOf,
  neverAborted,
  rowsOf,
} from "../../../../support/uplink-batches.ts";

const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function startNats(options?: Parameters<typeof createNats>[0]): Promise<Nats> {
  const nats = await createNats(options);
  closing.push(() => nats.stop());
  return nats;
}

function openTarget(
  port: number,
  settings: Partial<NatsSettings> = {},
  context: Partial<TargetContext> = {},
): Target {
  const defaults = Value.Default(natsSettings, {
    type: "NATS",
    servers: [`nats.example:${port}`],
    ...settings,
  }) as NatsSettings; // as the schema says
  const target = createNatsTarget(defaults, contextOf(context));
  closing.push(() => target.close());
  return target;
}

const reactionTo = async (target: Target) => (await failureOf(target.check(neverAborted()))).reaction;
const device = deviceOf({ name: "Pump 1.left", tags: { line: "3" } });
const common = {
  device: device.deviceId,
  name: "Pump 1.left",
  type: "pump",
  site: "Plant A",
  tags: { line: "3" },
};
const rows = rowsOf(device, [1, 2], {
  n: [0.1, Number.NaN],
  flag: [true, undefined],
  s: ["ä", undefined],
  j: [undefined, { a: [1] }],
});

describe.skipIf(!hasNats)("NATS JetStream (skipped without nats-server)", () => {
  test("gets every kind of value and event once, in a stream that is created, also if a batch comes twice", async () => {
    const nats = await startNats();
    const target = openTarget(nats.port);
    const deletion = { kind: "deletion", device, keys: null, from: 1, to: 2 } as const;
    const batch = batchOf("b1", rows, ...eventsOf(device, 3), deletion);
    await target.send(batch, neverAborted());
    await target.send(batch, neverAborted());
    expect(target.bytesSent).toBeGreaterThan(0);
    const stored = await nats.read("LINESIDE");
    const root = "lineside.Plant_A.Pump_1_left";
    expect(stored.map(({ subject, id }) => [subject, id])).toEqual(
      ["telemetry", "telemetry", "device", "attributes", "alarm", "deletion"].map((name, index) => [
        `${root}.${name}`,
        `b1:${index}`,
      ]),
    );
    expect(stored.slice(0, 2).map(({ text }) => JSON.parse(text))).toEqual([
      { ...common, ts: 1, values: { n: 0.1, flag: true, s: "ä" } },
      { ...common, ts: 2, values: { n: null, j: { a: [1] } } },
    ]);
    expect(JSON.parse(stored[5]?.text ?? "")).toMatchObject({ kind: "deletion", keys: null, from: 1, to: 2 });
  });

  test("is not given a stream, or subjects that no stream has, unless the settings say so", async () => {
    const { port } = await startNats();
    expect(await failureOf(openTarget(port, { createStream: false }).check(neverAborted()))).toMatchObject({
      reaction: "settings",
      message: expect.stringContaining("stream not found"),
    });
    await openTarget(port).check(neverAborted());
    const elsewhere = openTarget(port, { subject: "elsewhere.{device}" });
    expect((await failureOf(elsewhere.send(batchOf("1", rows), neverAborted()))).reaction).toBe("settings");
    expect(() => openTarget(port, { subject: "a.>" })).toThrow("wildcards");
  });

  test("refuses a message that is larger than it takes", async () => {
    const { port } = await startNats({ lines: () => ["max_payload: 2000"] });
    const large = rowsOf(device, [1], { text: ["x".repeat(3_000)] });
    expect((await failureOf(openTarget(port).send(batchOf("1", large), neverAborted()))).reaction).toBe(
      "refused",
    );
  });

  test("that is killed in the middle of sending gets everything once, in order", async () => {
    const nats = await startNats();
    const target = openTarget(nats.port, { eventSubject: null });
    const batches = [0, 1, 2].map((round) => {
      const ts = Array.from({ length: 1_000 }, (_, row) => round * 1_000 + row);
      return batchOf(`${round}`, rowsOf(device, ts, { n: ts }));
    });
    const [first, second, third] = batches;
    if (!first || !second || !third) throw new Error("there are three");
    await target.send(first, neverAborted());
    const interrupted = failureOf(target.send(second, neverAborted()));
    await Bun.sleep(0);
    await nats.kill();
    expect(["none", "retry"]).toContain((await interrupted).reaction);
    expect((await failureOf(target.send(second, neverAborted()))).reaction).toBe("retry");
    await nats.start();
    await until(async () => (await failureOf(target.send(second, neverAborted()))).reaction === "none");
    await target.send(third, neverAborted());
    const stored = await nats.read("LINESIDE");
    expect(stored.map(({ text }) => JSON.parse(text).ts)).toEqual(
      Array.from({ length: 3_000 }, (_, ts) => ts),
    );
  });

  test("that does not answer is left as soon as the signal is aborted", async () => {
    const sockets = new Set<unknown>();
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: (socket) => void sockets.add(socket),
        close: (socket) => void sockets.delete(socket),
        data() {},
      },
    });
    closing.push(() => server.stop(true));
    const controller = new AbortController();
    const checking = openTarget(server.port).check(controller.signal);
    await until(() => sockets.size === 1);
    controller.abort(new Error("the uplink is stopped"));
    await expect(checking).rejects.toThrow("the uplink is stopped");
    await until(() => sockets.size === 0);
  });
});

describe.skipIf(!hasNats)("NATS JetStream that is secured (skipped without nats-server)", () => {
  test("lets in by password, by token and by nkey, and refuses others", async () => {
    const byPassword = await startNats({
      lines: () => ['authorization { user: "uplink", password: "secret" }'],
    });
    await openTarget(byPassword.port, { username: "uplink", password: "secret" }).send(
      batchOf("1", rows),
      neverAborted(),
    );
    expect(await reactionTo(openTarget(byPassword.port, { username: "uplink", password: "wrong" }))).toBe(
      "settings",
    );
    expect(await reactionTo(openTarget(byPassword.port))).toBe("settings");
    const byToken = await startNats({ lines: () => ['authorization { token: "t0ken" }'] });
    await openTarget(byToken.port, { token: "t0ken" }).check(neverAborted());
    expect(await reactionTo(openTarget(byToken.port, { token: "wrong" }))).toBe("settings");
    const user = nkeys.createUser();
    const byKey = await startNats({
      lines: () => [`authorization { users: [ { nkey: ${user.getPublicKey()} } ] }`],
    });
    const privateKey = new TextDecoder().decode(user.getSeed());
    await openTarget(byKey.port, { privateKey }).check(neverAborted());
    const other = new TextDecoder().decode(nkeys.createUser().getSeed());
    expect(await reactionTo(openTarget(byKey.port, { privateKey: other }))).toBe("settings");
    expect(await reactionTo(openTarget(byKey.port, { privateKey: "nonsense" }))).toBe("settings");
  });

  test("may not publish what it has no right to, which is an error", async () => {
    const { port } = await startNats({
      lines: () => [
        "authorization { users: [",
        '  { user: "admin", password: "secret" },',
        '  { user: "uplink", password: "secret", permissions: { publish: ["$JS.API.>"] } } ] }',
      ],
    });
    await openTarget(port, { username: "admin", password: "secret" }).check(neverAborted());
    const target = openTarget(port, { username: "uplink", password: "secret" });
    expect((await failureOf(target.send(batchOf("1", rows), neverAborted()))).reaction).toBe("settings");
  });

  test("is trusted by its authority and its name, and asks for a certificate", async () => {
    const now = Date.now();
    const authority = await createAuthority(now, "nats");
    const server = await createServerCertificate(authority, { dns: ["nats.example"], ip: [] }, now);
    const { port } = await startNats({
      files: { "ca.pem": authority.cert, "cert.pem": server.cert, "key.pem": server.key },
      lines: (directory) => [
        `tls { cert_file: "${directory}/cert.pem", key_file: "${directory}/key.pem", ca_file: "${directory}/ca.pem", verify: true }`,
      ],
    });
    const client = await createClientCertificate(authority);
    const tls = { ca: authority.cert, certificate: client.cert, privateKey: client.key };
    await openTarget(port, { tls }).send(batchOf("1", rows), neverAborted());
    const { ca: _, ...untrusting } = tls;
    for (const settings of [{ tls: untrusting }, { tls, servers: [`other.example:${port}`] }, { tls: null }])
      expect(await reactionTo(openTarget(port, settings))).toBe("settings");
    expect(["settings", "retry"]).toContain(
      await reactionTo(openTarget(port, { tls: { ca: authority.cert } })),
    );
  });
});
