import { beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import {
  bodyOf,
  call,
  config,
  create,
  fixture,
  mine,
  other,
  tokens,
  useGenerators,
  type Who,
} from "./generators-fixture.ts";

useGenerators();

describe("permissions", () => {
  let id: string;
  let wideId: string;
  let ownId: string;
  beforeAll(async () => {
    id = (await create({ name: "for mine", config: { ...config, deviceIds: [mine.deviceId] } })).id;
    wideId = (
      await create({ name: "for both", config: { ...config, deviceIds: [mine.deviceId, other.deviceId] } })
    ).id;
    ownId = (await create({ name: "with its own" })).id;
  });
  const as = (who: Who, method: string, path: () => string, body?: unknown) => () => ({
    method,
    path: `/api/rule-chains${path()}`,
    token: tokens[who],
    ...(body !== undefined && { body }),
  });
  const pathOf = () => `/${id}`;
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous lists nothing",
        request: () => ({ method: "GET", path: "/api/rule-chains" }),
        status: 401,
        answer: "none",
      },
      {
        name: "anonymous previews nothing",
        request: () => ({ method: "POST", path: "/api/rule-chains/preview", body: { config } }),
        status: 401,
        answer: "none",
      },
      { name: "a reader reads", request: as("reader", "GET", pathOf), status: 200 },
      {
        name: "a reader creates nothing",
        request: as("reader", "POST", () => "", bodyOf()),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader changes nothing",
        request: as("reader", "PATCH", pathOf, { name: "x" }),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader starts nothing",
        request: as("reader", "POST", () => `/${id}/start`),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader pauses nothing",
        request: as("reader", "POST", () => `/${id}/pause`),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader deletes nothing",
        request: as("reader", "DELETE", pathOf),
        status: 403,
        answer: "error",
      },
      {
        name: "another tenant reads nothing",
        request: as("stranger", "GET", pathOf),
        status: 404,
        answer: "error",
      },
      {
        name: "another tenant starts nothing",
        request: as("stranger", "POST", () => `/${id}/start`),
        status: 404,
        answer: "error",
      },
      {
        name: "another tenant deletes nothing",
        request: as("stranger", "DELETE", pathOf),
        status: 404,
        answer: "error",
      },
      { name: "a writer changes", request: as("writer", "PATCH", pathOf, { description: "x" }), status: 200 },
      { name: "an administrator pauses", request: as("admin", "POST", () => `/${id}/pause`), status: 200 },
      {
        name: "a user limited to its device changes a generator",
        request: as("limited", "PATCH", pathOf, { name: "for mine" }),
        status: 200,
      },
      {
        name: "a user limited to some of its devices reads a generator",
        request: as("limited", "GET", () => `/${wideId}`),
        status: 200,
        answer: ({ body, text }) => {
          expect(body).toMatchObject({
            deviceCount: 1,
            hiddenDevices: 1,
            config: { deviceIds: [mine.deviceId] },
          });
          expect(text).not.toContain(other.deviceId);
        },
      },
      {
        name: "a user limited to some of its devices does not change a generator",
        request: as("limited", "PATCH", () => `/${wideId}`, { name: "x" }),
        status: 403,
        answer: "error",
      },
      {
        name: "a user limited to other devices does not find a generator",
        request: as("limited", "GET", () => `/${ownId}`),
        status: 404,
        answer: "error",
      },
      {
        name: "a user limited to some devices creates no generator of its own device",
        request: as("limited", "POST", () => "", bodyOf()),
        status: 403,
        answer: "error",
      },
      {
        name: "a user limited to other devices creates no generator for a device",
        request: () =>
          as("limited", "POST", () => "", bodyOf({ config: { ...config, deviceIds: [other.deviceId] } }))(),
        status: 404,
        answer: "error",
      },
      {
        name: "a user limited to a device creates a generator for it",
        request: () =>
          as("limited", "POST", () => "", bodyOf({ config: { ...config, deviceIds: [mine.deviceId] } }))(),
        status: 201,
      },
    ],
  );

  test("the list leaves out generators of hidden devices", async () => {
    const { body } = await call("GET", "", undefined, "limited");
    expect(body.map(({ name }: { name: string }) => name).sort()).toEqual(["demo", "for both", "for mine"]);
    expect((await call("GET", "", undefined, "stranger")).body).toEqual([]);
  });
});
