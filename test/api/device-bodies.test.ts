import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { connectAsync } from "mqtt";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };
const json = { "content-type": "application/json" };
const cbor = { "content-type": "application/cbor" };
const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());

const post = (kind: string, options: { raw: string | Uint8Array; headers: Record<string, string> }) => ({
  method: "POST",
  path: `/api/v1/${device.token}/${kind}`,
  ...options,
});
/** `{"a": …}` in CBOR around the bytes given in hexadecimal. */
const cborOf = (value: string) => Buffer.from(`a16161${value}`, "hex");

describe("attribute values that no JSON text can hold", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "nested beyond any stack, from a person",
        request: () => ({
          method: "POST",
          path: `/api/devices/${device.deviceId}/attributes`,
          token: owner,
          raw: `{"scope":"SHARED","attributes":{"a":${nested(50_000)}}}`,
          headers: json,
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "nested beyond any stack, from a device",
        request: () => post("attributes", { raw: `{"a":${nested(50_000)}}`, headers: json }),
        status: 400,
        answer: "error",
      },
      {
        name: "an infinity within CBOR",
        request: () => post("attributes", { raw: cborOf("81fb7ff0000000000000"), headers: cbor }),
        status: 400,
        answer: "error",
      },
      {
        name: "a byte string",
        request: () => post("attributes", { raw: cborOf("420102"), headers: cbor }),
        status: 400,
        answer: "error",
      },
      {
        name: "a set",
        request: () => post("telemetry", { raw: cborOf("d901028101"), headers: cbor }),
        status: 400,
        answer: "error",
      },
      {
        name: "a date that is none",
        request: () => post("telemetry", { raw: cborOf("81c1fb7ff8000000000000"), headers: cbor }),
        status: 400,
        answer: "error",
      },
      {
        name: "a 64-bit integer is a number",
        request: () => post("attributes", { raw: cborOf("1b7ff0000000000000"), headers: cbor }),
        status: 200,
      },
    ],
  );

  test("do not end a device's MQTT session", async () => {
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: device.token,
      protocolVersion: 5,
      reconnectPeriod: 0,
    });
    const reasonOf = (body: string | Buffer) =>
      client.publishAsync("v1/devices/me/attributes", body, { qos: 1 }).then(
        () => 0,
        (error) => error.code,
      );
    expect(await reasonOf(`{"a":${nested(20_000)}}`)).toBe(0x99);
    expect(await reasonOf(cborOf("811b7ff0000000000000"))).toBe(0);
    expect(client.connected).toBe(true);
    await client.endAsync();
  });
});

describe("a key named payload", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "is a key when it stands beside others",
        request: () => post("telemetry", { raw: '{"payload":"raw","rssi":-70}', headers: json }),
        status: 200,
      },
    ],
  );
});

describe("a body whose device changes while it is on its way", () => {
  /** Sends a body in two halves with `between` in the middle; gives the status line. */
  async function sendSlowly(path: string, body: string, between: () => Promise<unknown>): Promise<string> {
    const { port } = new URL(fixture.app.url);
    const socket = connect(Number(port), "127.0.0.1");
    let response = "";
    socket.on("data", (bytes) => {
      response += bytes.toString();
    });
    const ended = new Promise((resolve) => socket.on("close", resolve));
    await new Promise((resolve) => socket.on("connect", resolve));
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
    socket.write(`${head}\r\n\r\n${body.slice(0, 3)}`);
    await fixture.call("GET", "/healthz"); // by its answer the first half has been read
    await between();
    socket.write(body.slice(3));
    await ended;
    return response.split("\r\n")[0] ?? "";
  }

  for (const kind of ["attributes", "telemetry"]) {
    test(`${kind} of a deleted device are refused like any invalid token`, async () => {
      const gone = await fixture.createDevice(owner);
      const remove = () => fixture.call("DELETE", `/api/devices/${gone.deviceId}`, { token: owner });
      expect(await sendSlowly(`/api/v1/${gone.token}/${kind}`, '{"a":1}', remove)).toContain("400");
    });
    test(`${kind} under a token that was replaced are refused`, async () => {
      const keyed = await fixture.createDevice(owner);
      const path = `/api/devices/${keyed.deviceId}/credentials/rotate`;
      const rotate = () => fixture.call("POST", path, { token: owner });
      expect(await sendSlowly(`/api/v1/${keyed.token}/${kind}`, '{"a":1}', rotate)).toContain("400");
    });
  }
});
