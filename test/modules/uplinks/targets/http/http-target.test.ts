import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import type { JsonValue } from "../../../../../src/lib/json/json.ts";
import type { Batch, Target, TargetContext } from "../../../../../src/modules/uplinks/target.types.ts";
import type { HttpSettings } from "../../../../../src/modules/uplinks/targets/http/http.schemas.ts";
import { createHttpTarget } from "../../../../../src/modules/uplinks/targets/http/http.target.ts";
import { NdjsonEncoder } from "../../../../../src/modules/uplinks/targets/ndjson-encoder.ts";
import {
  createAuthority,
  createServerCertificate,
} from "../../../../../src/platform/network/tls-certificates.ts";
import { freePort } from "../../../../support/free-port.ts";
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
import { isSigned } from "../../../../support/webhook-receiver.ts";

const device = deviceOf({ name: 'Pümp "1"', tags: { line: "3" } });
const deviceMembers = {
  device: device.deviceId,
  name: device.name,
  type: "pump",
  site: "Plant A",
  tags: { line: "3" },
};
const linesOf = (batch: Batch): unknown[] =>
  new TextDecoder()
    .decode(new NdjsonEncoder().encode(batch))
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

interface Request {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
}

const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A receiver that keeps what it gets, and answers as the test says. */
function createReceiver(tls?: Bun.TLSOptions) {
  const requests: Request[] = [];
  const receiver = {
    requests,
    answer: (): Response | Promise<Response> => new Response(null, { status: 204 }),
    url: "",
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...(tls !== undefined && { tls }),
    async fetch(request) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      const isCompressed = request.headers.get("content-encoding") === "gzip";
      const text = new TextDecoder().decode(isCompressed ? Bun.gunzipSync(bytes) : bytes);
      requests.push({ headers: request.headers, bytes, text });
      return receiver.answer();
    },
  });
  receiver.url = `http${tls === undefined ? "" : "s"}://erp.example:${server.port}/take?site=a`;
  closing.push(() => server.stop(true));
  return receiver;
}

function targetAt(
  url: string,
  settings: Partial<HttpSettings> = {},
  context: Partial<TargetContext> = {},
): Target {
  const target = createHttpTarget(
    {
      type: "HTTP",
      url,
      headers: {},
      tokenHeader: "Authorization",
      requestsInFlight: 4,
      gzip: true,
      timeoutMs: 5_000,
      tls: null,
      ...settings,
    },
    contextOf(context),
  );
  closing.push(() => target.close());
  return target;
}

test("values of every type arrive exactly, a line for each row, and other records say what they are", () => {
  const rows = rowsOf(device, [1_764_000_000_000, 1_764_000_000_001, 1_764_000_000_002], {
    temperature: [21.53, -0, undefined],
    'odd "key"': ["two\nlines ✓", true, undefined],
    json: [{ a: [1, null] }, false, undefined],
  });
  const deletion = { kind: "deletion", device, keys: ["temperature"], from: 1, to: 2 } as const;
  const [created, attributes, alarm] = eventsOf(device, 5);
  if (created === undefined || attributes === undefined || alarm === undefined) throw new Error("no events");
  const lines = linesOf(batchOf("1", rows, deletion, created, attributes, alarm));
  expect(lines).toEqual([
    {
      ...deviceMembers,
      ts: 1_764_000_000_000,
      values: { temperature: 21.53, 'odd "key"': "two\nlines ✓", json: { a: [1, null] } },
    },
    { ...deviceMembers, ts: 1_764_000_000_001, values: { temperature: -0, 'odd "key"': true, json: false } },
    { kind: "deletion", ...deviceMembers, keys: ["temperature"], from: 1, to: 2 },
    { kind: "device", ...deviceMembers, ts: 5, change: "created" },
    {
      kind: "attributes",
      ...deviceMembers,
      ts: 5,
      scope: "SERVER",
      values: { floor: 2, label: "left", gone: null },
    },
    {
      kind: "alarm",
      ...deviceMembers,
      ts: 5,
      alarmId: "0199f6a0-0000-7000-8000-00000000a001",
      alarmType: "overheated",
      severity: "MAJOR",
      status: "ACTIVE_UNACK",
      event: "CREATED",
      eventId: "0199f6a0-0000-7000-8000-00000000e001",
      message: "hotter than 80 °C",
    },
  ]);
});

test("what is encoded reads back as it was, whatever it is", () => {
  const value = fc.oneof(
    fc.constant(undefined),
    fc.double(),
    fc.boolean(),
    fc.string({ unit: "grapheme" }),
    fc.jsonValue().filter((json) => typeof json === "object" && json !== null),
  ) as fc.Arbitrary<JsonValue | undefined>;
  const column = fc.tuple(fc.string({ unit: "grapheme" }), fc.array(value, { minLength: 4, maxLength: 4 }));
  fc.assert(
    fc.property(fc.uniqueArray(column, { selector: ([key]) => key, maxLength: 5 }), (columns) => {
      const batch = batchOf("1", rowsOf(device, [1, 2, 3, 4], Object.fromEntries(columns)));
      const expected = [0, 1, 2, 3].flatMap((row) => {
        const present = columns.filter(([, values]) => values[row] !== undefined);
        const values = Object.fromEntries(present.map(([key, all]) => [key, all[row]]));
        return present.length === 0 ? [] : [{ ...deviceMembers, ts: row + 1, values }];
      });
      // JSON has no NaN and no infinity.
      const plain = expected.map((line) => ({
        ...line,
        values: Object.fromEntries(
          Object.entries(line.values).map(([key, item]) => [
            key,
            typeof item === "number" && !Number.isFinite(item) ? null : item,
          ]),
        ),
      }));
      expect(linesOf(batch)).toEqual(plain);
    }),
  );
});

test("a batch is one compressed, signed request with its id as the idempotency key", async () => {
  const receiver = createReceiver();
  const target = targetAt(receiver.url, {
    headers: { "X-Plant": "7", "content-type": "text/plain" },
    token: "secret-token",
    signingSecret: "shared secret",
  });
  const batch = batchOf("batch-1", rowsOf(device, [1], { a: [1] }));
  await target.send(batch, neverAborted());
  await target.send(batch, neverAborted());
  expect(target.bytesSent).toBeGreaterThan(0);
  const [first, second] = receiver.requests;
  expect(first?.headers.get("host")).toBe(new URL(receiver.url).host);
  expect(first?.headers.get("idempotency-key")).toBe("batch-1");
  expect(first?.headers.get("authorization")).toBe("Bearer secret-token");
  expect(first?.headers.get("content-type")).toBe("application/x-ndjson");
  expect(first?.headers.get("x-plant")).toBe("7");
  expect(first?.text).toBe(`${JSON.stringify({ ...deviceMembers, ts: 1, values: { a: 1 } })}\n`);
  expect(second?.text).toBe(first?.text ?? "");
  expect(second?.headers.get("idempotency-key")).toBe("batch-1");
});

test("the signature is that of the bytes that are sent", async () => {
  const receiver = createReceiver();
  const target = targetAt(receiver.url, {
    gzip: false,
    signingSecret: "shared secret",
    token: "k",
    tokenHeader: "X-Api-Key",
  });
  await target.send(batchOf("1", rowsOf(device, [1], { a: [1] })), neverAborted());
  const [request] = receiver.requests;
  expect(request?.headers.get("x-api-key")).toBe("k");
  expect(request?.headers.get("content-encoding")).toBeNull();
  const received = {
    ...request,
    headers: request?.headers ?? new Headers(),
    text: request?.text ?? "",
    path: "",
    method: "",
    body: {},
  };
  expect(isSigned(received, "shared secret")).toBe(true);
  expect(isSigned(received, "another secret")).toBe(false);
});

const reactions: Array<[status: number, reaction: string]> = [
  [200, "none"],
  [202, "none"],
  [302, "retry"],
  [400, "refused"],
  [401, "settings"],
  [403, "settings"],
  [404, "retry"],
  [413, "refused"],
  [422, "refused"],
  [429, "retry"],
  [500, "retry"],
  [503, "retry"],
];
test.each(reactions)("an answer %d has the reaction %s", async (status, reaction) => {
  const receiver = createReceiver();
  receiver.answer = () => new Response("details", { status, headers: { Location: "/elsewhere" } });
  const target = targetAt(receiver.url);
  const failure = await failureOf(target.send(batchOf("1", rowsOf(device, [1], { a: [1] })), neverAborted()));
  expect(failure.reaction).toBe(reaction);
  if (reaction !== "none") expect(failure.message).toContain(`${status}`);
  expect((await failureOf(target.check(neverAborted()))).reaction).toBe(reaction);
  expect(receiver.requests.length).toBe(2);
});

test("nothing is sent before the time that Retry-After names", async () => {
  const receiver = createReceiver();
  receiver.answer = () => new Response(null, { status: 429, headers: { "Retry-After": "1" } });
  const target = targetAt(receiver.url);
  const batch = batchOf("1", rowsOf(device, [1], { a: [1] }));
  expect((await failureOf(target.send(batch, neverAborted()))).reaction).toBe("retry");
  receiver.answer = () => new Response(null, { status: 204 });
  expect((await failureOf(target.send(batch, neverAborted()))).reaction).toBe("retry");
  expect(receiver.requests.length).toBe(1);
  await until(async () => (await failureOf(target.send(batch, neverAborted()))).reaction === "none");
  expect(receiver.requests.length).toBe(2);
});

test("a request that is aborted, or has no answer, ends at once", async () => {
  const receiver = createReceiver();
  receiver.answer = () => new Promise<Response>(() => undefined);
  const target = targetAt(receiver.url);
  const controller = new AbortController();
  const sending = target.send(batchOf("1", rowsOf(device, [1], { a: [1] })), controller.signal);
  await until(() => receiver.requests.length === 1);
  controller.abort(new Error("the uplink is stopped"));
  await expect(sending).rejects.toThrow("the uplink is stopped");
  const slow = targetAt(receiver.url, { timeoutMs: 50 });
  const failure = await failureOf(slow.send(batchOf("1", rowsOf(device, [1], { a: [1] })), neverAborted()));
  expect(failure).toEqual({
    reaction: "retry",
    message: "The target cannot be reached: There was no response within 50 ms.",
  });
});

test("a server that is killed and started again gets everything, and every address of its name is tried", async () => {
  const port = await freePort();
  const script = join(import.meta.dir, "../../../../support/http-sink-child.ts");
  const start = async () => {
    const child = Bun.spawn([process.execPath, script, `${port}`], { stdout: "ignore", stderr: "inherit" });
    closing.push(() => child.kill("SIGKILL"));
    await until(() =>
      fetch(`http://127.0.0.1:${port}/`).then(
        (response) => response.ok,
        () => false,
      ),
    );
    return child;
  };
  const target = targetAt(
    `http://erp.example:${port}/`,
    {},
    { resolve: async () => ["127.0.0.9", "127.0.0.1"] },
  );
  let child = await start();
  const waiting = Array.from({ length: 30 }, (_, index) =>
    batchOf(`${index}`, rowsOf(device, [index], { a: [index] })),
  );
  const confirmed = new Set<string>();
  let kills = 0;
  while (waiting.length > 0) {
    const inFlight = waiting.splice(0, target.inFlightMax);
    const sending = inFlight.map(async (batch) => {
      if ((await failureOf(target.send(batch, neverAborted()))).reaction === "none") confirmed.add(batch.id);
      else waiting.push(batch);
    });
    if (kills < 3 && confirmed.size >= kills * 10) {
      kills++;
      child.kill("SIGKILL");
      await child.exited;
      child = await start();
    }
    await Promise.all(sending);
  }
  expect(confirmed.size).toBe(30);
});

test("TLS verifies the name of the server", async () => {
  const authority = await createAuthority(Date.now(), "test");
  const certificate = await createServerCertificate(authority, { dns: ["erp.example"], ip: [] }, Date.now());
  const receiver = createReceiver(certificate);
  const batch = batchOf("1", rowsOf(device, [1], { a: [1] }));
  const trusting = targetAt(receiver.url, { tls: { ca: authority.cert } });
  await trusting.send(batch, neverAborted());
  await targetAt(receiver.url, {}, { authorities: [authority.cert] }).send(batch, neverAborted());
  expect(receiver.requests.length).toBe(2);
  const untrusting = await failureOf(targetAt(receiver.url).send(batch, neverAborted()));
  expect(untrusting).toEqual({ reaction: "retry", message: expect.stringContaining("certificate") });
  const otherName = receiver.url.replace("erp.example", "other.example");
  const misnamed = targetAt(otherName, { tls: { ca: authority.cert } });
  expect((await failureOf(misnamed.send(batch, neverAborted()))).message).toContain("certificate");
  expect(receiver.requests.length).toBe(2);
});

test.skipIf(Bun.which("openssl") === null)(
  "a client shows its certificate to a server that asks for it",
  async () => {
    const { stdout } = Bun.spawnSync(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=gateway -days 2 -keyout - -out -".split(
        " ",
      ),
    );
    const [privateKey = "", certificate = ""] = stdout.toString().split(/(?=-----BEGIN CERTIFICATE)/);
    const authority = await createAuthority(Date.now(), "test");
    const server = await createServerCertificate(authority, { dns: ["erp.example"], ip: [] }, Date.now());
    const receiver = createReceiver({
      ...server,
      requestCert: true,
      rejectUnauthorized: true,
      ca: certificate,
    });
    const batch = batchOf("1", rowsOf(device, [1], { a: [1] }));
    const withCertificate = targetAt(receiver.url, { tls: { ca: authority.cert, certificate, privateKey } });
    await withCertificate.send(batch, neverAborted());
    const without = targetAt(receiver.url, { tls: { ca: authority.cert } });
    expect((await failureOf(without.send(batch, neverAborted()))).reaction).toBe("retry");
    expect(receiver.requests.length).toBe(1);
  },
);

const wrongSettings: Array<[name: string, settings: Partial<HttpSettings>]> = [
  ["a secret among the headers", { headers: { "X-Api-Key": "k" } }],
  ["a header with two lines", { headers: { "X-One": "a\r\nX-Two: b" } }],
  ["an address that is none", { url: "ftp://erp.example" }],
  ["a certificate that cannot be read", { url: "https://erp.example", tls: { ca: "-----BEGIN" } }],
  ["a key that cannot be read", { url: "https://erp.example", tls: { privateKey: "-----BEGIN" } }],
];
test.each(wrongSettings)("%s is an error of the settings", async (_, settings) => {
  const failure = await failureOf((async () => targetAt("http://erp.example/", settings))());
  expect(failure.reaction).toBe("settings");
});
