// Updates from the console, where the program is a checkout; test/binary/update.binary.ts installs real ones.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const UPDATE = "/api/gateway/update";
let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  fixture = await createTestApp({ host: "one" });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

test("a checkout says that it is not updated this way", async () => {
  const { status, body } = await fixture.call("GET", UPDATE, { token: owner });
  expect(status).toBe(200);
  expect(body).toMatchObject({ isInstalling: false, problem: { code: "update.checkout" } });
  const raw = Buffer.from("part");
  const upload = await fixture.call("PUT", `${UPDATE}/upload?offset=0`, { token: owner, raw });
  expect([upload.status, upload.body.code]).toEqual([409, "update.checkout"]);
});

test("a part above 1 MiB is refused", async () => {
  const raw = new Uint8Array(1024 * 1024 + 1);
  const { status, body } = await fixture.call("PUT", `${UPDATE}/upload?offset=0`, { token: owner, raw });
  expect([status, body.code]).toEqual([413, "request.too_large"]);
});

test("nothing is installed before a file is uploaded", async () => {
  const { status, body } = await fixture.call("POST", `${UPDATE}/install`, { token: owner });
  expect([status, body.code]).toEqual([409, "update.not_uploaded"]);
  expect((await fixture.call("DELETE", `${UPDATE}/upload`, { token: owner })).status).toBe(200);
});
