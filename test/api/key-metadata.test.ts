import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import {
  create,
  fixture,
  foreign,
  limited,
  owner,
  pump,
  reader,
  stranger,
  useDevices,
  writer,
} from "./devices-fixture.ts";

useDevices();

const temperature = {
  key: "temperature",
  name: "Oil temperature",
  unit: "Cel",
  decimals: 1,
  kind: "gauge",
  min: -20,
  max: 120,
  limits: { lowLow: -5, low: 0, high: 60, highHigh: 70 },
  group: "Hydraulics",
};
const state = {
  key: "state",
  kind: "state",
  states: [
    { value: "run", name: "Running", color: "green" },
    { value: 0, name: "Off" },
    { value: true, name: "On", color: "gray" },
  ],
};

const profile = (method: string, path: string, token: string | undefined, body?: unknown) => ({
  method,
  path: `/api/device-profiles${path}`,
  token,
  ...(body === undefined ? {} : { body }),
});
let profileId = "";
const change = (keyMetadata: unknown) => profile("PATCH", `/${profileId}`, writer, { keyMetadata });

describe("key metadata of a profile", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "is created with the profile",
        request: () => profile("POST", "", writer, { name: "pumps", keyMetadata: [temperature] }),
        status: 201,
        answer: ({ body }) => {
          profileId = body.profileId;
          expect(body.keyMetadata).toEqual([temperature]);
        },
      },
      {
        name: "a reader may not change it",
        request: () => profile("PATCH", `/${profileId}`, reader, { keyMetadata: [] }),
        status: 403,
        answer: "error",
      },
      {
        name: "somebody without access to all devices may not change it",
        request: () => profile("PATCH", `/${profileId}`, limited, { keyMetadata: [] }),
        status: 403,
        answer: "error",
      },
      {
        name: "another tenant's is 404",
        request: () => profile("PATCH", `/${profileId}`, stranger, { keyMetadata: [] }),
        status: 404,
        answer: "error",
      },
      {
        name: "is replaced as a whole",
        request: () => change([temperature, state]),
        status: 200,
        answer: ({ body }) => expect(body.keyMetadata).toEqual([temperature, state]),
      },
      {
        name: "stays when other fields change",
        request: () => profile("PATCH", `/${profileId}`, writer, { description: "all pumps" }),
        status: 200,
        answer: ({ body }) => expect(body.keyMetadata).toEqual([temperature, state]),
      },
      {
        name: "a reader reads it",
        request: () => profile("GET", `/${profileId}`, reader),
        status: 200,
        answer: ({ body }) => expect(body.keyMetadata).toEqual([temperature, state]),
      },
      {
        name: "the list of profiles is without it",
        request: () => profile("GET", "", reader),
        status: 200,
        answer: ({ body }) => expect(body[0]).not.toHaveProperty("keyMetadata"),
      },
      {
        name: "keys of any name are only keys",
        request: () =>
          change([{ key: "__proto__", unit: "V" }, { key: "constructor", unit: "A" }, temperature]),
        status: 200,
        answer: ({ body }) =>
          expect(body.keyMetadata.map(({ key }: { key: string }) => key)).toEqual([
            "__proto__",
            "constructor",
            "temperature",
          ]),
      },
      {
        name: "a thousand keys fit",
        request: () => change(Array.from({ length: 1_000 }, (_, index) => ({ key: `k${index}`, unit: "V" }))),
        status: 200,
        answer: ({ body }) => expect(body.keyMetadata).toHaveLength(1_000),
      },
      ...(
        [
          [
            "more than a thousand keys",
            () => Array.from({ length: 1_001 }, (_, index) => ({ key: `k${index}` })),
          ],
          ["no list", () => ({ temperature })],
          ["an entry without a key", () => [{ unit: "V" }]],
          ["an empty key", () => [{ key: "" }]],
          ["a key of more than 256 bytes", () => [{ key: "ü".repeat(129) }]],
          ["a key twice", () => [temperature, temperature]],
          ["a field that there is not", () => [{ ...temperature, shade: "red" }]],
          ["an own field __proto__", () => [JSON.parse('{"key":"a","__proto__":{}}')]],
          ["a name of 101 characters", () => [{ key: "a", name: "n".repeat(101) }]],
          ["a name in two lines", () => [{ key: "a", name: "n\nn" }]],
          ["a blank unit", () => [{ key: "a", unit: " " }]],
          ["a unit of 33 characters", () => [{ key: "a", unit: "u".repeat(33) }]],
          ["a group in two lines", () => [{ key: "a", group: "g\ng" }]],
          ["a group that is no text", () => [{ key: "a", group: 1 }]],
          ["ten decimals", () => [{ key: "a", decimals: 10 }]],
          ["half a decimal", () => [{ key: "a", decimals: 0.5 }]],
          ["an unknown kind", () => [{ key: "a", kind: "dial" }]],
          ["limits that are not in order", () => [{ key: "a", limits: { low: 10, high: 10 } }]],
          ["ends of a range that are not in order", () => [{ key: "a", min: 10, max: 10 }]],
          ["an end of a range that is a text", () => [{ key: "a", min: "1" }]],
          ["an unknown limit", () => [{ key: "a", limits: { max: 10 } }]],
          ["a limit that is a text", () => [{ key: "a", limits: { low: "1" } }]],
          [
            "a shade that is none of the set",
            () => [{ key: "a", states: [{ value: 1, name: "a", color: "#f00" }] }],
          ],
          ["a state without a name", () => [{ key: "a", states: [{ value: 1 }] }]],
          [
            "a state twice",
            () => [
              {
                key: "a",
                states: [
                  { value: 1, name: "a" },
                  { value: 1, name: "b" },
                ],
              },
            ],
          ],
          ["a state whose value is an object", () => [{ key: "a", states: [{ value: {}, name: "a" }] }]],
        ] as const
      ).map(([what, keyMetadata]) => ({
        name: `${what} is 400 and changes nothing`,
        request: () => change(keyMetadata()),
        status: 400,
        answer: "error" as const,
      })),
      {
        name: "what was refused changed nothing",
        request: () => profile("GET", `/${profileId}`, reader),
        status: 200,
        answer: ({ body }) => expect(body.keyMetadata).toHaveLength(1_000),
      },
    ],
  );
});

describe("defaults of the tenant", () => {
  const defaults = (method: string, token: string | undefined, body?: unknown) => ({
    method,
    path: "/api/key-metadata/defaults",
    token,
    ...(body === undefined ? {} : { body }),
  });
  apiRows(
    () => fixture,
    [
      { name: "anonymous is 401", request: () => defaults("GET", undefined), status: 401, answer: "none" },
      {
        name: "are empty at first",
        request: () => defaults("GET", reader),
        status: 200,
        answer: ({ body }) => expect(body).toEqual({ keyMetadata: [] }),
      },
      {
        name: "a reader may not replace them",
        request: () => defaults("PUT", reader, { keyMetadata: [] }),
        status: 403,
        answer: "error",
      },
      {
        name: "nor somebody without access to all devices",
        request: () => defaults("PUT", limited, { keyMetadata: [] }),
        status: 403,
        answer: "error",
      },
      {
        name: "are checked as those of a profile",
        request: () => defaults("PUT", writer, { keyMetadata: [{ key: "a", decimals: -1 }] }),
        status: 400,
        answer: "error",
      },
      {
        name: "a body without the list is 400",
        request: () => defaults("PUT", writer, {}),
        status: 400,
        answer: "error",
      },
      {
        name: "are replaced",
        request: () => defaults("PUT", writer, { keyMetadata: [{ key: "battery", unit: "%" }] }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual({ keyMetadata: [{ key: "battery", unit: "%" }] }),
      },
      {
        name: "are the tenant's own",
        request: () => defaults("GET", stranger),
        status: 200,
        answer: ({ body }) => expect(body).toEqual({ keyMetadata: [] }),
      },
    ],
  );

  test("and a change is in the audit log", async () => {
    const { body } = await fixture.call("GET", "/api/audit?action=key_metadata.set_defaults", {
      token: owner,
    });
    expect(body[0]).toMatchObject({
      outcome: "SUCCESS",
      before: { keyMetadata: [] },
      after: { keyMetadata: [{ key: "battery", unit: "%" }] },
    });
  });
});

describe("resolved metadata", () => {
  const resolve = async (token: string, deviceIds: readonly string[]) =>
    (await fixture.call("POST", "/api/key-metadata/resolve", { token, body: { deviceIds } })).body;

  test("has the profile's entry, and the default for other keys", async () => {
    await fixture.call("PUT", "/api/key-metadata/defaults", {
      token: writer,
      body: {
        keyMetadata: [
          { key: "battery", unit: "%" },
          { key: "temperature", unit: "K", decimals: 2 },
        ],
      },
    });
    await fixture.call("PATCH", `/api/device-profiles/${profileId}`, {
      token: writer,
      body: { keyMetadata: [temperature] },
    });
    const second = await fixture.call("POST", "/api/devices", {
      ...create({ name: "second", deviceType: "pump", profileId }),
    });
    const { devices, profiles } = await resolve(reader, [
      pump.deviceId,
      second.body.deviceId,
      "none",
      pump.deviceId,
    ]);
    expect(devices).toEqual([
      { deviceId: pump.deviceId, profileId: expect.any(String) },
      { deviceId: second.body.deviceId, profileId },
    ]);
    expect(profiles).toHaveLength(2);
    const keysOf = (id: string) =>
      profiles.find((response: { profileId: string }) => response.profileId === id).keyMetadata;
    expect(keysOf(profileId)).toEqual([{ key: "battery", unit: "%" }, temperature]);
    expect(keysOf(devices[0].profileId)).toEqual([
      { key: "battery", unit: "%" },
      { key: "temperature", unit: "K", decimals: 2 },
    ]);
  });

  test("follows a device to another profile", async () => {
    await fixture.call("PATCH", `/api/devices/${pump.deviceId}`, { token: writer, body: { profileId } });
    expect((await resolve(reader, [pump.deviceId])).devices).toEqual([
      { deviceId: pump.deviceId, profileId },
    ]);
  });

  test("leaves out devices of others", async () => {
    expect(await resolve(reader, [foreign.deviceId])).toEqual({ devices: [], profiles: [] });
    expect(await resolve(stranger, [pump.deviceId])).toEqual({ devices: [], profiles: [] });
    expect((await resolve(limited, [pump.deviceId])).devices).toHaveLength(1);
  });
});

test("what has no room in an answer comes with the next one", async () => {
  const large = Array.from({ length: 1_000 }, (_, index) => ({
    key: `k${index}`,
    states: Array.from({ length: 20 }, (_, value) => ({ value, name: "n" })),
  }));
  const devices: string[] = [];
  for (const name of ["large 1", "large 2"]) {
    const body = { name, keyMetadata: large };
    const created = await fixture.call("POST", "/api/device-profiles", { token: writer, body });
    const device = await fixture.createDevice(owner, { name, profileId: created.body.profileId });
    devices.push(device.deviceId);
  }
  const path = "/api/key-metadata/resolve";
  const first = await fixture.call("POST", path, { token: reader, body: { deviceIds: devices } });
  expect(first.body).toMatchObject({ devices: [{ deviceId: devices[0] }], rest: [devices[1]] });
  const second = await fixture.call("POST", path, { token: reader, body: { deviceIds: first.body.rest } });
  expect(second.body.devices).toMatchObject([{ deviceId: devices[1] }]);
  expect(second.body).not.toHaveProperty("rest");
});

describe("suggestions", () => {
  test("are offered for the keys that devices of the profile send, and not stored", async () => {
    await fixture.call("POST", `/api/v1/${pump.token}/telemetry`, {
      body: { temperature: 21.44, door_open: true, constructor: 1, note: "x".repeat(500), nested: { a: 1 } },
    });
    const suggestions = async (token: string) =>
      (await fixture.call("GET", `/api/device-profiles/${profileId}/key-suggestions`, { token })).body;
    expect(await suggestions(reader)).toEqual([
      { key: "constructor", sample: 1 },
      { key: "door_open", sample: true, suggestion: { kind: "state" } },
      { key: "nested", sample: null },
      { key: "note", sample: "x".repeat(100), suggestion: { kind: "text" } },
      { key: "temperature", sample: 21.44, suggestion: { unit: "°C", decimals: 1, kind: "gauge" } },
    ]);
    const nobody = (await fixture.signIn("TENANT_READ_ONLY", { devices: [] })).token;
    expect(await suggestions(nobody)).toEqual([]);
    const { body } = await fixture.call("GET", `/api/device-profiles/${profileId}`, { token: reader });
    expect(body.keyMetadata).toEqual([temperature]);
  });

  test("list the keys of all devices of the profile, also of one among hundreds", async () => {
    const name = "hundreds";
    const profile = await fixture.call("POST", "/api/device-profiles", { token: writer, body: { name } });
    const many = { profileId: profile.body.profileId };
    const first = await fixture.createDevice(owner, many);
    await fixture.call("POST", `/api/v1/${first.token}/telemetry`, { body: { energy_kwh: 5 } });
    for (let count = 0; count < 200; count++) await fixture.createDevice(owner, many);
    const last = await fixture.createDevice(owner, many);
    await fixture.call("POST", `/api/v1/${last.token}/telemetry`, { body: { level: 3 } });
    const path = `/api/device-profiles/${many.profileId}/key-suggestions`;
    const { body } = await fixture.call("GET", path, { token: reader });
    expect(body).toMatchObject([
      { key: "energy_kwh", sample: 5, suggestion: { unit: "kWh" } },
      { key: "level", sample: 3 },
    ]);
  });
});

test("an export has the units of the columns on request, and its values stay raw", async () => {
  const read = (query: string) =>
    fixture.call("GET", `/api/devices/${pump.deviceId}/telemetry/export?keys=temperature${query}`, {
      token: reader,
    });
  expect((await read("")).text).toStartWith("ts,temperature\r\n");
  const { text } = await read("&units=true");
  expect(text).toStartWith("ts,temperature (°C)\r\n");
  expect(text).toContain(",21.44\r\n");
  expect((await read("&units=true&format=ndjson")).text).toContain('"temperature":21.44');
  expect((await read("&units=maybe")).status).toBe(400);
});
