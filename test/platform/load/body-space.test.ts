import { expect, test } from "bun:test";
import { BodySpace, REQUEST_BYTES_MAX } from "../../../src/platform/load/body-space.ts";

const owner = { tenantId: "one", userId: "anna" };
const request = (headers: Record<string, string>) => ({
  headers: new Headers({ "content-type": "application/json", ...headers }),
  signal: new AbortController().signal,
});
const take = (space: BodySpace, sent: ReturnType<typeof request>) => space.take(sent as Request, owner);

test("a request without a body takes no space, whatever type it names", () => {
  const space = new BodySpace();
  for (let index = 0; index < 20; index++) take(space, request({}));
  expect([space.used, space.refusals]).toEqual([0, 0]);
});

test("a body that is sent in parts takes the space of the largest until its response", () => {
  const space = new BodySpace();
  const sent = request({ "transfer-encoding": "chunked" });
  take(space, sent);
  expect(space.used).toBe(REQUEST_BYTES_MAX);
  space.release(sent as Request);
  expect(space.used).toBe(0);
});
