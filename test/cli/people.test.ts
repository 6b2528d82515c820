import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

setDefaultTimeout(30_000);

const main = join(import.meta.dir, "..", "..", "src", "main.ts");
const EMAIL = "owner@plant.example";
let fixture: TestApp;

beforeAll(async () => {
  fixture = await createTestApp();
  const owner = { email: EMAIL, password: PASSWORD, fullName: "Olga Owner", tenantName: "Plant" };
  await fixture.app.services.setup.createOwner(owner);
});
afterAll(() => fixture.stop());

async function run(...args: string[]) {
  const child = Bun.spawn([process.execPath, main, ...args], {
    env: { PATH: process.env.PATH ?? "", LINESIDE_DATA: fixture.directory },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output, errors };
}

async function json(...args: string[]) {
  const { code, output, errors } = await run(...args, "--json");
  expect([code, errors]).toEqual([0, ""]);
  return JSON.parse(output);
}

const signIn = (email: string, password: string) =>
  fixture.call("POST", "/idp/authorize", { body: { email, password } });

test("users are added, given another password, disabled and deleted beside a running gateway, which notices at once", async () => {
  const added = await json("user", "add", "Rita@Plant.example", "--role", "rw", "--name", "Rita Rw");
  expect(added).toEqual({
    userId: expect.any(String),
    email: "rita@plant.example",
    fullName: "Rita Rw",
    role: "TENANT_RW",
    status: "ACTIVE",
    tenantId: expect.any(String),
    createdAt: expect.any(String),
    temporaryPassword: expect.stringMatching(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/),
    loginUrl: expect.stringContaining("rita%40plant.example"),
  });

  const { provider, identity } = fixture.app.services;
  const token = async () => {
    await provider.saveAccount(added.email, PASSWORD);
    const { code } = await provider.signIn({ email: added.email, password: PASSWORD, address: "test" });
    return (await identity.exchange(code, undefined)).accessToken;
  };
  const me = async (bearer: string) => (await fixture.call("GET", "/api/auth/me", { token: bearer })).status;

  const first = await token();
  expect(await me(first)).toBe(200);
  const reset = await json("user", "reset-password", added.email);
  expect(reset.temporaryPassword).not.toBe(added.temporaryPassword);
  expect(await me(first)).toBe(401);
  expect((await signIn(added.email, PASSWORD)).status).toBe(401);

  const second = await token();
  await json("user", "role", added.email, "read-only");
  expect(await me(second)).toBe(401);

  const third = await token();
  expect((await json("user", "disable", added.email)).status).toBe("DISABLED");
  expect(await me(third)).toBe(401);
  expect((await json("user", "enable", added.email)).status).toBe("ACTIVE");
  expect(await me(third)).toBe(401);

  expect((await json("user", "list")).map((user: { email: string }) => user.email).sort()).toEqual([
    EMAIL,
    added.email,
  ]);
  await json("user", "delete", added.email);
  expect(provider.hasAccount(added.email)).toBe(false);
  expect(await json("user", "list")).toHaveLength(1);
});

test("a person reads tables and sentences", async () => {
  const listed = await run("user", "list");
  expect(listed.output).toMatch(
    /^E-MAIL +NAME +ROLE +STATUS\nowner@plant\.example +Olga Owner +owner +active\n$/,
  );
  const added = await run("user", "add", "theo@plant.example", "--role", "admin");
  expect(added.output).toContain("Temporary password:");
  expect((await run("user", "delete", "theo@plant.example")).output).toBe("theo@plant.example is deleted.\n");
});

test("what cannot be done is one sentence", async () => {
  const rows: Array<[string[], string]> = [
    [["user", "disable", EMAIL], "last active owner"],
    [["user", "delete", EMAIL], "last active owner"],
    [["user", "role", EMAIL, "admin"], "last active owner"],
    [["user", "role", EMAIL, "god"], "The role must be one of owner, admin, rw, read-only."],
    [["user", "add", EMAIL, "--role", "rw"], "A user with this e-mail address exists."],
    [["user", "add", "nobody", "--role", "rw"], "by e-mail address"],
    [["user", "add", "x@plant.example"], "The role must be one of"],
    [["user", "add", "x@plant.example", "--role", "rw", "--tenant", "Moon"], 'There is no tenant "Moon".'],
    [["user", "disable", "x@plant.example"], "There is no user"],
    [["user", "fly"], '"fly" is not something to do'],
    [["user", "list", "--data", join(fixture.directory, "elsewhere")], "There is no gateway's data in"],
  ];
  const answers = await Promise.all(rows.map(([args]) => run(...args)));
  for (const [index, { code, errors, output }] of answers.entries()) {
    expect([code, output, errors.trimEnd().split("\n").length]).toEqual([1, "", 1]);
    expect(errors).toContain(rows[index]?.[1] ?? "");
    expect(errors).toStartWith("lineside user: ");
  }
});

test("the commands explain themselves", async () => {
  const { code, output } = await run("user", "--help");
  expect([code, output]).toEqual([0, expect.stringContaining("reset-password <e-mail>")]);
});
