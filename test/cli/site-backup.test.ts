// The site file of one tenant out of a backup: nothing listens, nothing is sent, and nothing stays behind.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Socket, TCPSocketListener } from "bun";
import { restore } from "../../src/modules/backups/restore-job.ts";
import { FolderTarget } from "../../src/modules/backups/targets/folder-target.ts";
import { createTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import {
  BROKER_PASSWORD,
  createFolder,
  type Gateway,
  runLineside,
  setUpPlant,
  startGateway,
} from "./site-fixture.ts";

const PASSPHRASE = { LINESIDE_BACKUP_PASSPHRASE: "correct horse" };

let folder: Awaited<ReturnType<typeof createFolder>>;
let place: string;
/** The folder for temporary files of the command. */
let temporary: string;
/** Everything that the gateway in the backup sends to arrives here. */
let receiver: TCPSocketListener;
let connections = 0;
/** The site file of the first tenant, as the running gateway exports it. */
let exported: string;

/** Has the gateway send to the receiver: broker, uplink and mail server. */
async function connectAll(gateway: Gateway): Promise<void> {
  const server = `127.0.0.1:${receiver.port}`;
  const patch = async (path: string, body: unknown) => {
    const response = await gateway.call("PATCH", path, body);
    expect([path, response.status, response.text]).toEqual([path, 200, expect.any(String)]);
  };
  const [integration] = (await gateway.call("GET", "/api/integrations")).body;
  const { settings_json: settings, integrationId } = integration;
  await patch(`/api/integrations/${integrationId}`, {
    settings_json: {
      ...settings,
      mqtt: {
        topicFilter: "plant/#",
        brokerUrl: `mqtt://${server}`,
        credentials: { username: "gateway", password: BROKER_PASSWORD },
      },
    },
  });
  await gateway.call("POST", `/api/integrations/${integrationId}/start`, {});
  const [uplink] = (await gateway.call("GET", "/api/uplinks")).body;
  await patch(`/api/uplinks/${uplink.uplinkId}`, {
    enabled: true,
    target: { ...uplink.target, url: `mqtt://${server}`, token: BROKER_PASSWORD },
  });
  const mail = {
    host: "127.0.0.1",
    port: receiver.port,
    security: "OPTIONAL",
    acceptsAnyCertificate: false,
    user: "",
  };
  const settingsSaved = await gateway.call("PUT", "/api/gateway/mail", { server: mail, from: "a@b.example" });
  expect([settingsSaved.status, settingsSaved.text]).toEqual([200, expect.any(String)]);
}

beforeAll(async () => {
  folder = await createFolder();
  [place, temporary] = [join(folder.path, "place"), join(folder.path, "temporary")];
  for (const path of [place, temporary]) mkdirSync(path);
  receiver = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket: Socket) => {
        connections++;
        socket.end();
      },
      data: () => undefined,
    },
  });
  const gateway = await startGateway();
  await setUpPlant(gateway);
  await connectAll(gateway);
  await gateway.call("POST", "/api/api-keys", { name: "historian", role: "TENANT_READ_ONLY" });
  const second = await gateway.fixture.signIn("TENANT_OWNER", { tenant: "Second" });
  await gateway.fixture.createDevice(second.token, { name: "Of the second" });
  const site = await gateway.run(["export", "site"]);
  exported = site.out;
  const backup = ["backup", "--to", place, "--data", gateway.fixture.directory];
  expect((await runLineside(backup, PASSPHRASE)).code).toBe(0);
  await gateway.fixture.stop();
});
afterAll(async () => {
  receiver.stop(true);
  await folder.remove();
});

const files = (path: string) => readdirSync(path, { recursive: true }).map(String).sort();
const exportFromBackup = (...options: string[]) =>
  runLineside(["export", "site", "--from-backup", place, ...options], { ...PASSPHRASE, TMPDIR: temporary });

test("is the file that the gateway itself has exported, and nothing is sent for it", async () => {
  const before = { connections, files: files(place) };
  const { code, out, error } = await exportFromBackup("--tenant", "Plant");
  expect([code, error]).toEqual([0, expect.stringMatching(/^Reading backup \S+ \(\S+Z\)\.\n$/)]);
  expect(out).toBe(exported);
  for (const name of ["Oven 1", "historian", "127.0.0.1"]) expect(out).toContain(name);
  expect({ connections, files: files(place) }).toEqual(before);
  expect(files(temporary)).toEqual([]);
});

test("the same backup does send when a gateway starts with it", async () => {
  const dataPath = join(folder.path, "restored");
  const passphrase = PASSPHRASE.LINESIDE_BACKUP_PASSPHRASE;
  await restore(new FolderTarget(place), { dataPath, passphrase, snapshot: undefined });
  const before = connections;
  const fixture = await createTestApp({
    directory: dataPath,
    config: { outbound_allow: "127.0.0.1", outbound_private: "host" },
  });
  await until(() => connections > before);
  await fixture.stop();
});

test("one tenant at a time is named, and gets its own objects only", async () => {
  const unnamed = await exportFromBackup();
  expect([unnamed.code, unnamed.out]).toEqual([1, ""]);
  expect(unnamed.error).toMatch(/--tenant: "Plant" \(.*\), "Second" \(.*\)/);
  const unknown = await exportFromBackup("--tenant", "Third");
  expect([unknown.code, unknown.error]).toEqual([1, expect.stringContaining('no tenant "Third"')]);
  const second = await exportFromBackup("--tenant", "Second");
  expect(second.code).toBe(0);
  expect(second.out).toContain("Of the second");
  expect(second.out).not.toMatch(/Oven|^mail:|historian/m);
  expect(files(temporary)).toEqual([]);
});

test("a backup is selected by its id, and nothing stays of one that cannot be read", async () => {
  const [name = ""] = readdirSync(join(place, "snapshots"));
  const id = name.replace(/\..*$/, "");
  const selected = await exportFromBackup("--tenant", "Plant", "--backup", id);
  expect([selected.code, selected.out]).toEqual([0, exported]);
  const unknown = await exportFromBackup("--tenant", "Plant", "--backup", "20200101T000000Z");
  expect([unknown.code, unknown.out]).toEqual([1, ""]);
  const locked = await runLineside(["export", "site", "--from-backup", place], {
    LINESIDE_BACKUP_PASSPHRASE: "wrong",
    TMPDIR: temporary,
  });
  expect([locked.code, locked.out, locked.error]).toEqual([1, "", expect.stringContaining("passphrase")]);
  expect(files(temporary)).toEqual([]);
});

test("the file that is written is as open as any other, and options of the other source are refused", async () => {
  const path = join(folder.path, "second.yaml");
  expect((await exportFromBackup("--tenant", "Second", "--to", path)).code).toBe(0);
  expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
  const mixed = await exportFromBackup("--url", "http://127.0.0.1:9");
  expect([mixed.code, mixed.error]).toEqual([1, expect.stringContaining("--url is for a running gateway")]);
  const alone = await runLineside(["export", "site", "--tenant", "Plant"]);
  expect([alone.code, alone.error]).toEqual([1, expect.stringContaining("--tenant is for backups")]);
});

test("the temporary folder is private, and a signal removes it, too", async () => {
  const module = join(import.meta.dir, "../../src/cli/restored-gateway.ts");
  const script = `
    import { writeFileSync } from "node:fs";
    const { withPrivateFolder } = await import(${JSON.stringify(module)});
    setInterval(() => undefined, 1_000);
    await withPrivateFolder((path) => {
      writeFileSync(path + "/key", "secret");
      console.log("ready");
      return new Promise(() => undefined);
    });`;
  const child = Bun.spawn([process.execPath, "--eval", script], {
    env: { PATH: process.env.PATH ?? "", TMPDIR: temporary },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await until(() => files(temporary).some((name) => name.endsWith("/key")));
  const [name = ""] = readdirSync(temporary);
  expect(statSync(join(temporary, name)).mode & 0o777).toBe(0o700);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(143);
  expect(files(temporary)).toEqual([]);
});
