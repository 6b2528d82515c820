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

describe("who may do what", () => {
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
        name: "with access to its device it is changed",
        request: as("limited", "PATCH", pathOf, { name: "for mine" }),
        status: 200,
      },
      {
        name: "with access to some of its devices it is read",
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
        name: "with access to some of its devices it is not changed",
        request: as("limited", "PATCH", () => `/${wideId}`, { name: "x" }),
        status: 403,
        answer: "error",
      },
      {
        name: "with access to none of its devices it is not there",
        request: as("limited", "GET", () => `/${ownId}`),
        status: 404,
        answer: "error",
      },
      {
        name: "without access to all devices none is made",
        request: as("limited", "POST", () => "", bodyOf()),
        status: 403,
        answer: "error",
      },
      {
        name: "without access to a device none sends for it",
        request: () =>
          as("limited", "POST", () => "", bodyOf({ config: { ...config, deviceIds: [other.deviceId] } }))(),
        status: 404,
        answer: "error",
      },
      {
        name: "with access to a device one sends for it",
        request: () =>
          as("limited", "POST", () => "", bodyOf({ config: { ...config, deviceIds: [mine.deviceId] } }))(),
        status: 201,
      },
    ],
  );

  test("the list leaves out what is not for the caller", async () => {
    const { body } = await call("GET", "", undefined, "limited");
    expect(body.map(({ name }: { name: string }) => name).sort()).toEqual(["demo", "for both", "for mine"]);
    expect((await call("GET", "", undefined, "stranger")).body).toEqual([]);
  });
});
