import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModbusServer } from "../support/modbus-server.ts";
import { Peer, pahoTwoModules } from "../support/peers.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";
import { isShown, type Language, type Page, pages } from "./commands.ts";
import { meterScript } from "./energy-meter.ts";
import { codeIn, followSteps, isQuickStart, shownOutput, shownValues } from "./quick-starts.ts";
import { Sandbox } from "./sandbox.ts";

/** Every command that the texts show runs, against a gateway of its own for each page. */

const EMAIL = "you@site";
/** What readers put in the place of parts of the texts. */
const fillIn = (script: string): string =>
  script
    .replaceAll("lsk_…", "$KEY")
    .replaceAll('"password": "…", "otp": "123456"', `"password": "${PASSWORD}"`)
    .replaceAll("--password …", `--password '${PASSWORD}'`)
    .replaceAll("gateway.local", "localhost")
    .replaceAll("sudo lineside", "lineside")
    .replaceAll(" --data /var/lib/lineside", "")
    .replaceAll("/mnt/backup", "$BACKUPS")
    .replaceAll("import file.csv …", "import file.csv");
/** Address of a receiver of webhooks that readers run themselves. */
const RECEIVER = "http://127.0.0.1:9000";
const withoutComments = (script: string): string => script.replaceAll(/(^|\s)#.*$/gm, "");

interface Site {
  readonly fixture: TestApp;
  readonly env: Record<string, string>;
  readonly create: (path: string, body: unknown) => Promise<Record<string, string>>;
  readonly receiver: string;
  /** Port of an energy meter. */
  readonly meter: number;
}

const places = mkdtempSync(join(tmpdir(), "lineside-backups-"));
afterAll(() => rmSync(places, { recursive: true, force: true }));
/** A place with one backup. */
async function aBackup({ fixture, env, create }: Site): Promise<Record<string, string>> {
  const { BACKUPS } = await backupFolder();
  const token = env.ACCESS_TOKEN;
  const path = "/api/gateway/backup";
  const { body } = await fixture.call("GET", path, { token });
  const { daily, weekly, maxAgeHours } = body;
  const settings = { place: { kind: "folder", path: BACKUPS }, passphrase: null, schedule: null };
  await fixture.call("PUT", path, { token, body: { ...settings, daily, weekly, maxAgeHours } });
  await create(`${path}/runs`, {});
  await untilAnswer(
    () => fixture.call("GET", `${path}/runs`, { token }),
    (runs) => runs.body[0]?.state === "DONE",
  );
  return { BACKUPS };
}
const backupFolder = async () => ({ BACKUPS: mkdtempSync(join(places, "of-a-page-")) });

async function aDevice({ create, fixture, env }: Site): Promise<Record<string, string>> {
  const { deviceId } = await fixture.createDevice(env.ACCESS_TOKEN ?? "", { name: "Press 4" });
  const command = await fixture.call("POST", `/api/devices/${deviceId}/commands`, {
    token: env.ACCESS_TOKEN,
    body: { method: "setRelay" },
  });
  const { profileId = "" } = await create("/api/device-profiles", { name: "mine" });
  return {
    URL: "http://localhost:8080",
    ID: deviceId,
    COMMAND_ID: command.body.commandId,
    PROFILE: profileId,
  };
}

/** What a page takes for granted, by its name. */
const input: Readonly<Record<string, (site: Site) => Promise<Record<string, string>>>> = {
  "docs/alarm-rules.md": async ({ create }) => ({
    PROFILE: (await create("/api/device-profiles", { name: "mine" })).profileId ?? "",
  }),
  "docs/devices.md": aDevice,
  "docs/claiming.md": aDevice,
  "docs/credentials.md": aDevice,
  "docs/opcua.md": aDevice,
  "docs/values.md": aDevice,
  "docs/import.md": aDevice,
  "docs/gateways.md": async ({ create, fixture, env }) => {
    await fixture.call("POST", "/api/demo-plant/start", { token: env.ACCESS_TOKEN }); // names are taken
    const { deviceId } = await create("/api/devices", {
      name: "Modbus",
      deviceType: "gateway",
      role: "GATEWAY",
    });
    const { body } = await fixture.call("GET", `/api/devices/${deviceId}`, { token: env.ACCESS_TOKEN });
    return { TOKEN: body.credentials.token, ID: deviceId ?? "" };
  },
  async "docs/downlinks.md"({ create, receiver }) {
    const downlink = { url: receiver, apiKey: "a key of the network server" };
    const { integrationId = "" } = await create("/api/integrations", {
      name: "Network",
      type: "CHIRPSTACK",
      status: "active",
      settings_json: { downlink: { ...downlink, applicationId: "1" } },
    });
    await create("/api/devices", { name: "Valve", deviceType: "valve", lorawanDevEui: "0102030405060708" });
    return { LORAWAN: integrationId };
  },
  "docs/site-file-format.md": async ({ create }) => {
    await create("/api/devices", { name: "Press 1", deviceType: "press" });
    return {};
  },
  "docs/api.md": async ({ create }) => ({
    ID: (await create("/api/devices", { name: "Meter", deviceType: "meter" })).deviceId ?? "",
  }),
  "README.md": backupFolder,
  "docs/backup.md": backupFolder,
  "docs/restore.md": aBackup,
  "docs/moving.md": backupFolder,
  "docs/upgrading.md": backupFolder,
  "docs/pipelines.md": async ({ create }) => ({
    ID: (await create("/api/data-pipelines", { name: "mine", steps: [] })).pipelineId ?? "",
  }),
  "docs/quick-start-energy-meter.md": async ({ meter }) => ({ METER: "127.0.0.1", PORT: String(meter) }),
  async "docs/webhooks.md"({ create, fixture, env, receiver }) {
    const steps = [{ type: "webhook_forward", url: `${receiver}/refused` }];
    const { pipelineId = "" } = await create("/api/data-pipelines", { name: "mine", steps });
    await fixture.call("POST", `/api/data-pipelines/${pipelineId}/start`, { token: env.ACCESS_TOKEN });
    await fixture.call("POST", `/api/v1/${env.TOKEN}/telemetry`, { body: { a: 1 } });
    const path = `/api/data-pipelines/deliveries?pipelineId=${pipelineId}&state=dead`;
    for (;;) {
      const [dead] = (await fixture.call("GET", path, { token: env.ACCESS_TOKEN })).body;
      if (dead !== undefined) return { ID: pipelineId, DELIVERY: dead.deliveryId };
      await Bun.sleep(5);
    }
  },
  async "docs/mail.md"({ create }) {
    await create("/api/users", {
      fullName: "Eva",
      email: "eva@site",
      role: "TENANT_RW",
      inviteDelivery: "EMAIL",
    });
    return {};
  },
  "docs/plans.md": async () => ({ LINESIDE_PLANS: JSON.stringify([{ id: "team", name: "Team" }]) }),
};

/** What a page shows beside and its commands read. */
const files: Readonly<Record<string, (text: string) => Record<string, string>>> = {
  "docs/import.md": (text) => ({
    "history.csv": /```\n(Zeit;[\s\S]*?)```/.exec(text)?.[1] ?? "",
    "devices.csv": /```\n(name;deviceType;[\s\S]*?)```/.exec(text)?.[1] ?? "",
  }),
  "docs/scripts.md": () => ({
    "valve.js": "function decodeUplink({ bytes }) { return { data: { t: bytes[0] } }; }",
  }),
  "docs/site-files.md": (text) => ({
    "common.yaml": /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? "",
    "gateway-07.yaml": "format: lineside.site\nversion: 1\n",
  }),
  "docs/site-file-format.md": (text) => ({
    "keys.yaml": /```yaml\n(format: lineside.site\nversion: 1\napiKeys:[\s\S]*?)```/.exec(text)?.[1] ?? "",
  }),
  "README.md": () => ({ "file.csv": "time,temperature\n2026-01-05T10:00:00Z,21.5\n" }),
};

/** Inline commands that do not run here, each with the reason. */
const notRun: ReadonlyArray<readonly [RegExp, string]> = [
  [/^lineside script-host/, "is started by the gateway itself"],
  [/<[a-z]+>/, "names a mail that a mail server has refused"],
  [
    /^lineside service (?:install --replace|uninstall)/,
    "installs or removes the executable: test/binary, test/cli",
  ],
  [/^lineside (?:set-aside|keys)/, "is for a gateway that is stopped: test/platform, test/cli"],
  [/^lineside setup-link/, "is for a gateway without an owner: test/cli"],
];
/** Additions without which a command would not end by itself. */
const bounded = (command: string): string =>
  command.startsWith("lineside simulate") ? `${command} --devices 1 --history 0 --seconds 1` : command;

async function openSite({
  name,
  text,
}: Pick<Page, "name" | "text">): Promise<{ site: Site; sandbox: Sandbox; stop: () => Promise<void> }> {
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => new Response(null, { status: request.url.endsWith("/refused") ? 400 : 200 }),
  });
  const fixture = await createTestApp({ config: { tls: "auto", outbound_allow: "127.0.0.1" } });
  const { setup, provider, identity } = fixture.app.services;
  await setup.createOwner({ email: EMAIL, password: PASSWORD, fullName: "Owner", tenantName: "Plant North" });
  const { code } = await provider.signIn({ email: EMAIL, password: PASSWORD, address: "test" });
  const { accessToken: token } = await identity.exchange(code, undefined);
  const create = async (path: string, body: unknown) => {
    const response = await fixture.call("POST", path, { token, body });
    if (response.status >= 300) throw new Error(`${path} answered ${response.status} ${response.text}`);
    return response.body;
  };
  const env = {
    ACCESS_TOKEN: token,
    KEY: (await create("/api/api-keys", { name: "of the test", role: "TENANT_ADMIN" })).key,
    TOKEN: (await fixture.createDevice(token, { name: "Mine" })).token,
    LINESIDE_OWNER_EMAIL: EMAIL,
    LINESIDE_OWNER_PASSWORD: PASSWORD,
  };
  const meter = await startModbusServer(meterScript);
  const site = { fixture, env, create, receiver: `http://127.0.0.1:${receiver.port}`, meter: meter.port };
  const steps = isQuickStart(name) ? await followSteps(text, { ...site, accessToken: token }) : {};
  const sandbox = await Sandbox.create(fixture, { ...env, ...(await input[name]?.(site)), ...steps });
  return {
    site,
    sandbox,
    async stop() {
      await fixture.stop();
      await receiver.stop(true);
      await meter.stop();
      await sandbox.remove();
    },
  };
}

async function expectShownValues(text: string, { fixture, env }: Site): Promise<void> {
  const token = env.ACCESS_TOKEN;
  const shown = shownValues(text);
  expect(shown).not.toEqual([]);
  for (const [name, values] of shown) {
    const list = `/api/devices?search=${encodeURIComponent(name)}`;
    const { body: found } = await untilAnswer(
      () => fixture.call("GET", list, { token }),
      ({ body }) => body.length > 0,
    );
    expect(found.map((device: { name: string }) => device.name)).toEqual([name]);
    const path = `/api/devices/${found[0].deviceId}/telemetry/latest`;
    const { body } = await untilAnswer(
      () => fixture.call("GET", path, { token }),
      (response) => Object.keys(values).every((key) => key in (response.body.values ?? {})),
    );
    expect(body.values).toEqual(values);
  }
}

test("the texts have commands", () => {
  expect(pages.filter(({ script }) => script.includes("curl")).length).toBeGreaterThan(10);
  expect(pages.flatMap(({ inline }) => inline).length).toBeGreaterThan(15);
});

/** Between the outputs of two blocks. */
const BOUNDARY = "--- next block ---";

/** Expects each block to print what the page shows, and returns all of it. */
function expectShown(blocks: Page["blocks"], output: string): string {
  const parts = output.split(BOUNDARY);
  blocks.forEach(({ code, shown }, number) => {
    const part = parts[number] ?? "";
    if (shown !== undefined && !isShown(part, shown)) expect([code, part]).toEqual([code, shown]);
  });
  return parts.join("");
}

async function runShell({ blocks }: Page, { receiver }: Site, sandbox: Sandbox): Promise<string> {
  const shell = blocks.filter(({ language }) => language === "sh");
  const commands = shell
    .map(({ code }) => withoutComments(fillIn(code).replaceAll(RECEIVER, receiver)))
    .join(`\nprintf %s '${BOUNDARY}'\n`);
  expect(commands).not.toContain("…");
  const { code, output } = await sandbox.run(commands);
  expect([code, output]).toEqual([0, expect.any(String)]);
  return expectShown(shell, output);
}

type Program = Exclude<Language, "sh">;

const python = Bun.which("python3");
/** How the programs of a language run: the file that they are written to, the command, and what prints a boundary. */
const interpreters = {
  python: {
    file: "tutorial.py",
    command: `"${python}" -u tutorial.py`,
    print: `print("${BOUNDARY}", end="")`,
  },
  ts: {
    file: "tutorial.ts",
    command: `"${process.execPath}" tutorial.ts`,
    print: `process.stdout.write("${BOUNDARY}");`,
  },
} as const satisfies Record<Program, object>;

const programsOf = ({ blocks }: Page, language: Program): Page["blocks"] => {
  const programs = blocks.filter((block) => block.language === language);
  return programs.some(({ shown }) => shown !== undefined) ? programs : [];
};

/** Runs the programs of a page, one after the other, as one. */
async function runPrograms(page: Page, language: Program, sandbox: Sandbox): Promise<void> {
  const programs = programsOf(page, language);
  const { file, command, print } = interpreters[language];
  const program = programs.map(({ code }) => code).join(`\n${print}\n`);
  await sandbox.write(file, sandbox.atGateway(program.replaceAll("9000", String(await freePort()))));
  const { code, output } = await sandbox.run(command);
  expect([file, code, output]).toEqual([file, 0, expect.any(String)]);
  expectShown(programs, output);
}

/** Returns a port for a receiver that a program of a page starts. */
async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null) });
  const port = Number(server.port);
  await server.stop(true);
  return port;
}

for (const language of ["python", "ts"] as const)
  describe.skipIf(language === "python" && python === null)(
    `every program in ${language} runs that is shown in`,
    () => {
      const shown = pages.filter((page) => programsOf(page, language).length > 0);
      test("at least one page", () => expect(shown).not.toEqual([]));
      test.each(shown.map((page) => [page.name, page] as const))("%s", async (_, page) => {
        const { sandbox, stop } = await openSite(page);
        await runPrograms(page, language, sandbox);
        await stop();
      });
    },
  );

describe("every command runs that is shown in", () => {
  test.each(
    pages
      .filter(({ script, inline }) => script !== "" || inline.length > 0)
      .map((page) => [page.name, page] as const),
  )("%s", async (name, page) => {
    const { text, inline } = page;
    const { site, sandbox, stop } = await openSite(page);
    for (const [file, content] of Object.entries(files[name]?.(text) ?? {}))
      await sandbox.write(file, content);
    const output = await runShell(page, site, sandbox);
    if (isQuickStart(name)) expect(output).toMatch(shownOutput(text));
    if (isQuickStart(name)) await expectShownValues(text, site);
    for (const command of inline) {
      if (notRun.some(([pattern]) => pattern.test(command))) continue;
      const { code, output } = await sandbox.run(bounded(fillIn(command)));
      expect([command, code, output]).toEqual([command, 0, expect.any(String)]);
    }
    await stop();
  });
});

const pageOf = (name: string): Page => {
  const page = pages.find((candidate) => candidate.name === name);
  if (page === undefined) throw new Error(`the page ${name} is missing`);
  return page;
};

const pahoTwo = pahoTwoModules("paho");
test.skipIf(pahoTwo === null)("the script for Python prints what its page shows", async () => {
  const page = pageOf("docs/quick-start-python.md");
  const { site, sandbox, stop } = await openSite(page);
  const script = codeIn(page.text, "python")
    .replaceAll(/^ {3}/gm, "")
    .replace("1883", String(site.fixture.app.mqttPort))
    .replace("/sys/class/thermal/thermal_zone0/temp", "thermometer");
  await sandbox.write("thermometer", "48300\n");
  await sandbox.write("readings.py", script);
  const start = 'cd "$0" && exec python3 -u readings.py';
  const peer = new Peer(["bash", "-c", start, sandbox.directory], {
    PYTHONPATH: pahoTwo ?? "",
    TOKEN: site.env.TOKEN ?? "",
  });
  expect(await peer.line()).toBe("connected");
  expect(await peer.line()).toMatch(/^stored \{"temperature": 48.3, "load": [\d.]+\}$/);
  await peer.end();
  await stop();
});

test("what the example of a gateway sends is stored, also beside the demo plant", async () => {
  const page = pageOf("docs/gateways.md");
  const { site, sandbox, stop } = await openSite(page);
  await sandbox.run(fillIn(page.script));
  const { body } = await site.fixture.call("GET", "/api/devices?search=Heat meter", {
    token: site.env.ACCESS_TOKEN,
  });
  expect(body.map(({ name }: { name: string }) => name).sort()).toEqual(["Heat meter 1", "Heat meter 2"]);
  for (const { deviceId } of body) {
    const path = `/api/devices/${deviceId}/telemetry/latest`;
    const latest = await site.fixture.call("GET", path, { token: site.env.ACCESS_TOKEN });
    expect(latest.body.values).toEqual({ power: expect.any(Number) });
  }
  await stop();
});
