// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of site files look like this
// The settings of the gateway in site files: branding, mail server and backups.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder, type Gateway, startGateway } from "./site-fixture.ts";

let folder: Awaited<ReturnType<typeof createFolder>>;
let gateway: Gateway;
let other: Gateway;
let place: string;

beforeAll(async () => {
  folder = await createFolder();
  [gateway, other] = [await startGateway(), await startGateway()];
  place = join(folder.path, "place");
  mkdirSync(place);
});
afterAll(async () => {
  await gateway.fixture.stop();
  await other.fixture.stop();
  await folder.remove();
});

function save(name: string, text: string): string {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
}

const SECRETS = {
  LINESIDE_SECRET_BACKUP_PASSPHRASE: "correct horse",
  LINESIDE_SECRET_MAIL_SERVER_PASSWORD: "mail-secret",
};

const content = () => `format: lineside.site
version: 1
branding:
  name: Plant 7
mail:
  server:
    host: mail.example
    port: 465
    security: TLS
    acceptsAnyCertificate: false
    user: gateway
    password: \${secret:MAIL_SERVER_PASSWORD}
  from: gateway@plant.example
backup:
  place: { kind: folder, path: ${place} }
  passphrase: \${secret:BACKUP_PASSPHRASE}
  schedule: { expression: 30 2 * * *, timezone: Europe/Berlin }
  daily: 5
`;

test("a gateway without such settings exports none", async () => {
  const { out } = await gateway.run(["export", "site", "--only", "branding,mail,backup"]);
  expect(out).not.toMatch(/^(?:branding|mail|backup):/m);
});

test("a file sets branding, mail server and backups, and a second time nothing", async () => {
  const file = save("gateway.yaml", content());
  const missing = await gateway.run(["apply", "site", file, "--yes"]);
  expect([missing.code, missing.error]).toEqual([1, expect.stringContaining("BACKUP_PASSPHRASE")]);
  const applied = await gateway.run(["apply", "site", file, "--yes"], SECRETS);
  expect([applied.code, applied.error]).toEqual([0, ""]);
  expect((await gateway.call("GET", "/api/gateway/backup")).body).toMatchObject({
    place: { kind: "folder", path: place },
    isEncrypted: true,
    schedule: { expression: "30 2 * * *", timezone: "Europe/Berlin" },
    daily: 5,
    weekly: 4,
  });
  expect((await gateway.call("GET", "/api/gateway/mail")).body).toMatchObject({
    server: { host: "mail.example", user: "gateway", hasPassword: true },
    from: "gateway@plant.example",
  });
  expect((await gateway.call("GET", "/api/tenant/branding")).body.branding).toEqual({ name: "Plant 7" });
  const again = await gateway.run(["apply", "site", file, "--yes"]);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining("3 unchanged")]);
});

test("an export has placeholders for the secrets, and is applied to another gateway", async () => {
  const { out } = await gateway.run(["export", "site", "--only", "branding,mail,backup"]);
  for (const secret of Object.values(SECRETS)) expect(out).not.toContain(secret);
  for (const name of Object.keys(SECRETS))
    expect(out).toContain(`\${secret:${name.replace("LINESIDE_SECRET_", "")}}`);
  const file = save("exported.yaml", out);
  const same = await gateway.run(["apply", "site", file, "--yes"]);
  expect([same.code, same.out]).toEqual([0, expect.stringContaining("3 unchanged")]);
  const applied = await other.run(["apply", "site", file, "--yes"], SECRETS);
  expect([applied.code, applied.error]).toEqual([0, ""]);
  expect((await other.call("GET", "/api/gateway/backup")).body).toMatchObject({
    isEncrypted: true,
    daily: 5,
  });
});
