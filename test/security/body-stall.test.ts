import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  callGateway,
  type StalledGateway,
  stallsOf as stallsIn,
  startStalledGateway,
} from "./stall-fixture.ts";

/**
 * No body holds the event loop for longer than 100 ms of processor time, alone or ten at a time, whatever it is made of.
 * See `stall.test.ts` for how that is measured.
 */

let gateway: StalledGateway;

beforeAll(async () => {
  gateway = await startStalledGateway();
});
afterAll(() => gateway.stop());

const call = (method: string, path: string, body?: unknown) => callGateway(gateway, method, path, body);

const stallsOf = (name: string, work: () => Promise<unknown>): Promise<string[]> =>
  stallsIn(
    gateway,
    { name, counts: [1, 10] },
    async (atOnce) => () => Promise.all(Array.from({ length: atOnce }, work)),
  );

/** A CBOR map with 32-bit integers for names. */
function cborOfIntegerNames(count: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(5 + 6 * count);
  bytes[0] = 0xba;
  bytes.writeUInt32BE(count, 1);
  for (let index = 0; index < count; index++) {
    bytes[5 + 6 * index] = 0x1a;
    bytes.writeUInt32BE((7_919 * index) >>> 0, 6 + 6 * index);
  }
  return bytes;
}

/** Items of JSON, separated by commas. */
const repeated = (count: number, itemOf: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => itemOf(index)).join(",");

/** A list of items for each of as many keys as fit into a body. */
const ofKeys = (count: number, itemOf: (index: number, key: number) => string): string =>
  `{${repeated(78, (key) => `"key${key}":[${repeated(count, (index) => itemOf(index, key))}]`)}}`;

test("large bodies of requests and lines of programs", async () => {
  const [device] = gateway.deviceTokens;
  const params = {
    "nested lists": "[".repeat(400_000) + "]".repeat(400_000),
    "different names": `{${repeated(60_000, (index) => `"k${index}":{"a":1}`)}}`,
    "empty objects": `[${repeated(300_000, () => "{}")}]`,
  };
  for (const [name, text] of Object.entries(params))
    for (const path of [`devices/${gateway.ids.deviceId}/commands`, "dashboards"]) {
      const send = async () =>
        expect((await call("POST", `/api/${path}`, `{"method":"x","params":${text}}`)).status).toBe(400);
      expect(await stallsOf(`${path}: ${name}`, send)).toEqual([]);
    }
  const write = async () => {
    const headers = { authorization: `Bearer ${device}` };
    const response = await fetch(`${gateway.url}/write`, {
      method: "POST",
      body: "m\\ ".repeat(1_500_000),
      headers,
    });
    expect(response.status).toBe(400);
  };
  expect(await stallsOf("a long line", write)).toEqual([]);
});

test("large bodies of many small items", async () => {
  const [device] = gateway.deviceTokens;
  const bodies: Record<string, Uint8Array<ArrayBuffer> | string> = {
    "5 MB of CBOR with integers for names": cborOfIntegerNames(870_000),
    "as many items of CBOR as there may be": Buffer.concat([
      Buffer.from([0x85]),
      ...Array.from({ length: 5 }, () => cborOfIntegerNames(9_900)),
    ]),
    "1 MB of CBOR with long numbers": Buffer.concat([
      Buffer.from([0xa1, 0x61, 0x61, 0x9f]),
      ...Array.from({ length: 8_000 }, () => Buffer.from([0xc2, 0x58, 120, ...Array(120).fill(0xff)])),
      Buffer.from([0xff]),
    ]),
    "5 MB of JSON with integers of 16 digits": `[${"1234567890123456,".repeat(300_000)}1]`,
    "5 MB of JSON with integers of 19 digits": `[${"1234567890123456789,".repeat(250_000)}1]`,
    "3 MB of JSON with different names": `{${repeated(300_000, (index) => `"k${index}":1`)}}`,
    "5 MB of JSON with different names in 78 keys": ofKeys(4_500, (index, key) => `{"k${key}${index}":1}`),
    "5 MB of JSON with empty objects in 78 keys": ofKeys(21_000, () => "{}"),
    "5 MB of JSON that is a list of empty objects": `[${"{},".repeat(1_600_000)}{}]`,
    "5 MB of JSON with lists 62 deep": `[${`${"[".repeat(61)}${"]".repeat(61)},`.repeat(38_000)}1]`,
    "5 MB of nested lists": "[".repeat(2_500_000) + "]".repeat(2_500_000),
    "5 MB of JSON with a long integer": `[1234567890123456789,${"1,".repeat(2_500_000)}1]`,
  };
  for (const [name, body] of Object.entries(bodies)) {
    for (const kind of ["telemetry", "attributes"]) {
      const headers = { "content-type": typeof body === "string" ? "application/json" : "application/cbor" };
      const send = async () => {
        const url = `${gateway.url}/api/v1/${device}/${kind}`;
        const response = await fetch(url, { method: "POST", body, headers });
        await response.arrayBuffer();
        expect([400, 413, 429, 503]).toContain(response.status);
      };
      expect(await stallsOf(`${kind}: ${name}`, send)).toEqual([]);
    }
  }
});

test("lists of devices and forms", async () => {
  const field = (index: number) => `--b\r\nContent-Disposition: form-data; name="${index}"\r\n\r\n\r\n`;
  const form = (count: number) =>
    `${Array.from({ length: count }, (_, index) => field(index)).join("")}--b--\r\n`;
  const formType = "multipart/form-data; boundary=b";
  const bodies: [path: string, type: string, body: string, status: number][] = [
    ["bulk/validate", "application/json", `{"rows":[{"a":[${"[],".repeat(5_000_000)}[]]}]}`, 413],
    [
      "bulk/validate",
      "application/json",
      `{"rows":[{${repeated(900_000, (index) => `"k${index}":1`)}}]}`,
      413,
    ],
    ["bulk/validate", "application/json", `{"rows":[${repeated(240_000, () => '{"name":"x","a":1}')}]}`, 400],
    ["bulk/validate", formType, form(260_000), 400],
    ["", formType, form(17_000), 413],
    [
      "",
      "application/x-www-form-urlencoded",
      repeated(120_000, (index) => `${index}`).replaceAll(",", "&"),
      413,
    ],
  ];
  for (const [path, type, body, status] of bodies) {
    const send = async () => {
      const headers = { "content-type": type, authorization: `Bearer ${gateway.token}` };
      const response = await fetch(`${gateway.url}/api/devices/${path}`, { method: "POST", body, headers });
      await response.arrayBuffer();
      // Ten at once find no space for all of their bodies.
      expect([status, 503]).toContain(response.status);
    };
    expect(await stallsOf(`${path} ${type} ${body.slice(0, 20)}`, send)).toEqual([]);
  }
});
