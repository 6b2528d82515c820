import { describe, expect } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { fixture, reader, stranger, useDevices, writer } from "./devices-fixture.ts";

useDevices();

describe("device profiles", () => {
  const profile = (method: string, path: string, token: string | undefined, body?: unknown) => ({
    method,
    path: `/api/device-profiles${path}`,
    token,
    ...(body === undefined ? {} : { body }),
  });
  let profileId = "";
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => profile("GET", "", undefined),
        status: 401,
        answer: "none",
      },
      {
        name: "every tenant has a default one",
        request: () => profile("GET", "", reader),
        status: 200,
        answer: ({ body }) =>
          expect(body).toMatchObject([{ name: "default", isDefault: true, payload: "AUTO" }]),
      },
      {
        name: "a reader may not create one",
        request: () => profile("POST", "", reader, { name: "fast" }),
        status: 403,
        answer: "error",
      },
      {
        name: "a missing name is 400",
        request: () => profile("POST", "", writer, {}),
        status: 400,
        answer: "error",
      },
      {
        name: "created",
        request: () => profile("POST", "", writer, { name: "fast", retentionDays: 30, payload: "CBOR" }),
        status: 201,
        answer: ({ body }) => {
          profileId = body.profileId;
          expect(body).toMatchObject({ name: "fast", isDefault: false, retentionDays: 30, payload: "CBOR" });
        },
      },
      {
        name: "the same name again is 409",
        request: () => profile("POST", "", writer, { name: "fast" }),
        status: 409,
        answer: "error",
      },
      {
        name: "another tenant's is 404",
        request: () => profile("GET", `/${profileId}`, stranger),
        status: 404,
        answer: "error",
      },
      {
        name: "changed",
        request: () =>
          profile("PATCH", `/${profileId}`, writer, { inactivityTimeoutMs: 5000, isDefault: true }),
        status: 200,
        answer: ({ body }) => expect(body).toMatchObject({ inactivityTimeoutMs: 5000, isDefault: true }),
      },
      {
        name: "there is one default",
        request: () => profile("GET", "", reader),
        status: 200,
        answer: ({ body }) =>
          expect(body.filter((item: { isDefault: boolean }) => item.isDefault)).toHaveLength(1),
      },
      {
        name: "the default stays",
        request: () => profile("DELETE", `/${profileId}`, writer),
        status: 409,
        answer: "error",
      },
      {
        name: "and does not give up its mark",
        request: () => profile("PATCH", `/${profileId}`, writer, { isDefault: false }),
        status: 400,
        answer: "error",
      },
    ],
  );
});
