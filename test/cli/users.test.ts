import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { PROGRAM } from "../support/program.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

const EMAIL = "owner@plant.example";
let fixture: TestApp;

beforeAll(async () => {
  fixture = await createTestApp();
  const owner = { email: EMAIL, password: PASSWORD, fullName: "Olga Owner", tenantName: "Plant" };
  await fixture.app.services.setup.createOwner(owner);
});
afterAll(() => fixture.stop());

async function run(...args: string[]) {
  const child = Bun.spawn([...PROGRAM, ...args], {
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
    /^EMAIL +NAME +ROLE +STATUS\nowner@plant\.example +Olga Owner +owner +active\n$/,
  );
  const added = await run("user", "add", "theo@plant.example", "--role", "admin");
  expect(added.output).toContain("Temporary password:");
  expect((await run("user", "delete", "theo@plant.example")).output).toBe("theo@plant.example is deleted.\n");
});

test("API keys are made and revoked beside a running gateway", async () => {
  const created = await json("apikey", "create", "ERP", "--role", "read-only", "--days", "30");
  expect(created).toMatchObject({ name: "ERP", role: "TENANT_READ_ONLY", createdBy: null, lastUsedAt: null });
  expect(Date.parse(created.expiresAt) - Date.parse(created.createdAt)).toBe(30 * 86_400_000);
  const devices = async () => (await fixture.call("GET", "/api/devices", { token: created.key })).status;
  expect(await devices()).toBe(200);
  const listed = await run("apikey", "list");
  expect(listed.output).toMatch(
    /^NAME +KEY +ROLE +EXPIRES +LAST USED\nERP +lsk_\w{6}… +read-only +20\d\d-\d\d-\d\d +never\n$/,
  );
  expect(listed.output).not.toContain(created.key);
  const again = await run("apikey", "create", "ERP", "--role", "rw");
  expect([again.code, again.errors]).toEqual([
    1,
    "lineside apikey: An API key with this name already exists. Select another name.\n",
  ]);
  expect((await run("apikey", "revoke", "ERP")).output).toBe("API key ERP revoked.\n");
  expect(await devices()).toBe(401);
  expect((await run("apikey", "revoke", "ERP")).errors).toBe('lineside apikey: There is no API key "ERP".\n');
  const piped = await run("apikey", "create", "for a script", "--role", "rw");
  expect(piped.output).toMatch(/^lsk_[0-9A-Za-z]{46}\n$/);
  expect((await run("apikey", "create", "x", "--role", "rw", "--days", "0")).code).toBe(1);
});

test("what cannot be done is one sentence", async () => {
  const rows: Array<[string[], string]> = [
    [["user", "disable", EMAIL], "last active owner"],
    [["user", "delete", EMAIL], "last active owner"],
    [["user", "role", EMAIL, "admin"], "last active owner"],
    [["user", "role", EMAIL, "god"], "The role must be one of owner, admin, rw, read-only."],
    [
      ["user", "add", EMAIL, "--role", "rw"],
      "A user with this email address already exists on this gateway. Use another address.",
    ],
    [["user", "add", "nobody", "--role", "rw"], "email address of the new user"],
    [["user", "add", "x@plant.example"], "The role must be one of"],
    [["user", "add", "x@plant.example", "--role", "rw", "--tenant", "Moon"], 'There is no tenant "Moon".'],
    [["user", "disable", "x@plant.example"], "There is no user"],
    [["user", "fly"], '"fly" is not an action'],
    [["user", "list", "--data", join(fixture.directory, "elsewhere")], "There is no gateway data in"],
  ];
  const responses = await Promise.all(rows.map(([args]) => run(...args)));
  for (const [index, { code, errors, output }] of responses.entries()) {
    expect([code, output, errors.trimEnd().split("\n").length]).toEqual([1, "", 1]);
    expect(errors).toContain(rows[index]?.[1] ?? "");
    expect(errors).toStartWith("lineside user: ");
  }
});

test("the commands explain themselves", async () => {
  for (const [command, words] of Object.entries({
    user: "reset-password <email>",
    apikey: "revoke <name>",
  })) {
    expect(await run(command, "--help")).toMatchObject({ code: 0, output: expect.stringContaining(words) });
    expect((await run(command)).code).toBe(2);
  }
});

test("what was done at the machine stands in the audit log, with the account that did it and without the secrets", async () => {
  const { temporaryPassword } = await json("user", "add", "logged@plant.example", "--role", "rw");
  await json("user", "role", "logged@plant.example", "read-only");
  const { key } = await json("apikey", "create", "logged key", "--role", "rw");
  await json("apikey", "revoke", "logged key");
  await json("user", "delete", "logged@plant.example");
  const { provider, identity } = fixture.app.services;
  const { code } = await provider.signIn({ email: EMAIL, password: PASSWORD, address: "test" });
  const { accessToken: token } = await identity.exchange(code, undefined);
  const { body, text } = await fixture.call("GET", "/api/audit?search=logged", { token });
  expect(body.map(({ action, targetName }: Record<string, string>) => `${action} ${targetName}`)).toEqual([
    "user.delete logged",
    "api_key.revoke logged key",
    "api_key.create logged key",
    "user.update logged",
    "user.create logged",
  ]);
  expect(body[3]).toMatchObject({
    actorType: "COMMAND_LINE",
    actorName: Bun.spawnSync(["id", "-un"]).stdout.toString().trim(),
    outcome: "SUCCESS",
    before: { role: "TENANT_RW" },
    after: { role: "TENANT_READ_ONLY" },
  });
  for (const secret of [temporaryPassword, key]) expect(text).not.toContain(secret);
});

test("a tenant is put on another plan beside a running gateway, which notices at once", async () => {
  expect((await json("tenant", "plans")).map(({ id }: { id: string }) => id)).toEqual(["basic", "onprem"]);
  const { provider, identity } = fixture.app.services;
  const { code } = await provider.signIn({ email: EMAIL, password: PASSWORD, address: "test" });
  const { accessToken: token } = await identity.exchange(code, undefined);
  const profile = async () => (await fixture.call("GET", "/api/tenant/profile", { token })).body;
  expect(await profile()).toMatchObject({ planName: "onprem", whitelabelEnabled: true });
  expect(await json("tenant", "plan", "basic")).toMatchObject({ name: "Plant", planName: "basic" });
  expect(await profile()).toMatchObject({ planName: "basic", whitelabelEnabled: false });
  const [tenant] = await json("tenant", "list");
  expect(tenant).toMatchObject({ name: "Plant", planName: "basic", isHost: true, users: expect.any(Number) });
  const { body } = await fixture.call("GET", "/api/audit?action=tenant.plan", { token });
  expect(body[0]).toMatchObject({
    actorType: "COMMAND_LINE",
    before: { planName: "onprem" },
    after: { planName: "basic" },
  });
  const unknown = await run("tenant", "plan", "gold");
  expect([unknown.code, unknown.errors.includes("basic, onprem")]).toEqual([1, true]);
  await json("tenant", "plan", "onprem", "--tenant", "Plant");
});
