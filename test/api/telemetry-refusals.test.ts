import { afterAll, beforeAll, describe, expect } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let deviceToken: string;

beforeAll(async () => {
  fixture = await createTestApp();
  const { token } = await fixture.signIn("TENANT_OWNER");
  deviceToken = (await fixture.createDevice(token)).token;
});
afterAll(() => fixture.stop());

const post = (path: string, body: unknown) => ({
  method: "POST",
  path: `/api/v1/${deviceToken}${path}`,
  body,
});
const raw = (text: string | Uint8Array, contentType: string | undefined) => ({
  ...post("/telemetry", undefined),
  raw: text,
  ...(contentType !== undefined && { headers: { "content-type": contentType } }),
});

const invalidBodies: ReadonlyArray<readonly [name: string, body: unknown]> = [
  ["a body that is no object is 400", 5],
  ["an object without values is 400", { payload: {} }],
  ...["text", 5, true, [{ a: 1 }]].map(
    (payload) => [`a payload that is no object (${JSON.stringify(payload)})`, { payload }] as const,
  ),
  ["only null values are 400", { payload: { a: null } }],
  ["a timestamp that is none is 400", { ts: "soon", values: { a: 1 } }],
  ["a timestamp more than ten years ahead is 400", { ts: Date.now() + 4_000 * 86_400_000, values: { a: 1 } }],
  ["an empty key is 400", { "": 1 }],
  ["a key of 257 bytes is 400", { ["k".repeat(257)]: 1 }],
  ["513 keys are 400", Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`k${index}`, 1]))],
];

describe("a device sends telemetry over HTTP", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "an invalid token is 400",
        request: () => ({ method: "POST", path: "/api/v1/nope/telemetry", body: { payload: { a: 1 } } }),
        status: 400,
        answer: "error",
      },
      {
        name: "malformed JSON is 400 and not echoed",
        request: () => raw('{"secret-value": ', "application/json"),
        status: 400,
        answer: "error",
      },
      {
        name: "an empty body is 400",
        request: () => raw("", "application/json"),
        status: 400,
        answer: "error",
      },
      ...invalidBodies.map(([name, body]) => ({
        name,
        request: () => post("/telemetry", body),
        status: 400,
        answer: "error" as const,
      })),
      {
        name: "a missing content type is 400",
        request: () => raw(new TextEncoder().encode('{"a":1}'), undefined),
        status: 400,
        answer: "error",
      },
      {
        name: "a form is 415",
        request: () => raw("a=1", "application/x-www-form-urlencoded"),
        status: 415,
        answer: "error",
      },
      {
        name: "more than 5 MiB is 413",
        request: () => raw(`{"a":"${"x".repeat(5 * 1024 * 1024)}"}`, "application/json"),
        status: 413,
        answer: ({ body }) => expect(body.statusCode).toBe(413),
      },
      {
        name: "a batch without items is 400",
        request: () => post("/telemetry/batch", {}),
        status: 400,
        answer: "error",
      },
    ],
  );
});
