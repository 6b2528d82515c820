import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCommand } from "../../src/cli/arguments.ts";
import { formText } from "../../src/lib/core/text-forms.ts";
import { renderIn } from "../../src/lib/texts/catalogues.ts";
import { ConfigError, loadConfig } from "../../src/platform/config/config.ts";
import { configGroups } from "../../src/platform/config/config-groups.ts";
import { configKeys } from "../../src/platform/config/config-keys.ts";
import { describeSystemError } from "../../src/platform/process/system-errors.ts";
import { PROGRAM } from "../support/program.ts";
import { createTestApp, PASSWORD } from "../support/test-app.ts";

/** Mistakes of people, and the exact words that they read: what failed, where, and what to do. */

const folder = mkdtempSync(join(tmpdir(), "lineside-mistakes-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "lineside.toml");

/** Not for people: errnos, names of classes, patterns, the runtime's own words. */
const INTERNAL =
  /\bE[A-Z]{4,}\b|DomainError|TypeError|\[object|undefined|\\[dws]|\(\?|\^-|positional argument|Invalid TOML document/;

const wrongSettings = (args: readonly string[], env: Record<string, string> = {}): readonly string[] => {
  try {
    loadConfig(args, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
};
const wrongFile = (text: string) => {
  writeFileSync(file, text);
  return wrongSettings(["--config", file]).map((mistake) => mistake.replaceAll(file, "FILE"));
};
const wrongOption = (...args: string[]): string => {
  const options = { to: { type: "string", help: "" }, json: { type: "boolean", help: "" } } as const;
  try {
    parseCommand(args, options);
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "";
};
const systemError = (code: string) =>
  describeSystemError(Object.assign(new Error(`${code}: failed`), { code, path: "/data/x" })) ?? "";

const commandLine: ReadonlyArray<readonly [provoke: () => string | readonly string[], message: string]> = [
  [
    () => wrongSettings(["--htp-port", "1"]),
    '"--htp-port" is not an option (did you mean --http-port?); see lineside serve --help.',
  ],
  [() => wrongSettings(["--zzzz", "1"]), '"--zzzz" is not an option; see lineside serve --help.'],
  [() => wrongSettings(["--http-port"]), "--http-port needs a value; see lineside serve --help."],
  [
    () => wrongSettings(["--http-port", "99999"]),
    '--http-port must be an integer from 0 to 65535, or off (it is "99999").',
  ],
  [() => wrongSettings(["--tls", "maybe"]), '--tls must be one of off, auto, files (it is "maybe").'],
  [
    () => wrongSettings(["--config", "nope.toml"]),
    "The configuration file nope.toml does not exist. Correct --config or LINESIDE_CONFIG.",
  ],
  [
    () => wrongSettings([], { LINESIDE_HTP_PORT: "1" }),
    "LINESIDE_HTP_PORT is not a setting (did you mean LINESIDE_HTTP_PORT?).",
  ],
  [
    () => wrongSettings([], { LINESIDE_COMMIT_WINDOW_MS: "soon" }),
    'LINESIDE_COMMIT_WINDOW_MS must be an integer from 0 to 10000 (it is "soon").',
  ],
  [
    () => wrongSettings([], { LINESIDE_OWNER_EMAIL: "a@b.example" }),
    "LINESIDE_OWNER_EMAIL and LINESIDE_OWNER_PASSWORD go together.",
  ],
  [
    () => wrongSettings([], { LINESIDE_OWNER_EMAIL: "a@b.example", LINESIDE_OWNER_PASSWORD: "short" }),
    "LINESIDE_OWNER_PASSWORD must have 10 characters or more.",
  ],
  [
    () => wrongSettings(["--smtp-url", "mail.example"]),
    "smtp_url must be like smtp://user:password@mail.example:587; in user and password, % @ : and / are written as %25 %40 %3A and %2F.",
  ],
  [() => wrongSettings(["--smtp-from", "plant"]), "smtp_from must be an e-mail address."],
  [() => wrongSettings(["--tls", "files"]), "tls = files needs tls_cert and tls_key."],
  [
    () => wrongSettings(["--http-port", "off"]),
    "http_port = off needs TLS on https_port, or the gateway could not be reached: set tls = auto or tls = files, and an https_port.",
  ],
  [
    () => wrongSettings(["--backup-to", "backups"]),
    "backup_to must be an absolute path, or begin with s3://.",
  ],
  [
    () => wrongSettings(["--outbound-allow", "gateway"]),
    "outbound_allow: gateway is neither an address nor a network like 10.0.0.0/8.",
  ],
  [
    () => wrongFile("http_port =\n"),
    "FILE, line 1, column 12 is not valid TOML: invalid value. Correct this line.",
  ],
  [
    () => wrongFile('a = 1\nhttp_port = "x"\n'),
    'FILE, line 2: http_port must be an integer from 0 to 65535, or off (it is "x").',
  ],
  [
    () => wrongFile("[http]\nprt = 1\n"),
    'FILE, line 2: "http_prt" is not a setting (did you mean http_port?).',
  ],
  [
    () => wrongOption("--jsn"),
    '"--jsn" is not an option. Did you mean --json? Use --help to list the options.',
  ],
  [() => wrongOption("--frob"), '"--frob" is not an option. Use --help to list the options.'],
  [() => wrongOption("-x"), '"-x" is not an option. Use --help to list the options.'],
  [() => wrongOption("--to"), "--to needs a value, for example --to=VALUE."],
  [() => wrongOption("--to", "--json"), "--to needs a value, for example --to=VALUE."],
  [() => wrongOption("--to", "-s3cret"), "--to needs a value, for example --to=VALUE."],
  [() => wrongOption("--json=yes"), '--json takes no value. Leave "=yes" out.'],
  [() => systemError("ENOSPC"), "The disk is full. Free some space, then try again. (/data/x)"],
  [
    () => systemError("EROFS"),
    "The disk is read-only. Check its file system, then mount it writable. (/data/x)",
  ],
  [() => systemError("EACCES"), "Access was denied. Check the owner and the permissions. (/data/x)"],
  [() => systemError("EISDIR"), "A folder stands where a file is expected. Move it away. (/data/x)"],
  [() => systemError("ENOENT"), "A file or folder does not exist. Check the path. (/data/x)"],
  [() => systemError("ENOTDIR"), "A file stands where a folder is expected. Check the path. (/data/x)"],
  [
    () => systemError("EADDRINUSE"),
    "Another program uses this port. Stop it, or choose another port. (/data/x)",
  ],
];

test.each(commandLine.map(([provoke, message]) => [message, provoke] as const))("%s", (message, provoke) => {
  expect([provoke()].flat()).toContain(message);
  expect(message).not.toMatch(INTERNAL);
});

test("each setting is in one group of the help", () => {
  const grouped: string[] = configGroups.flatMap(({ keys }) => keys);
  expect(grouped.toSorted()).toEqual(Object.keys(configKeys).toSorted());
  expect(configGroups[0]?.keys).toHaveLength(8);
});

async function run(...args: string[]): Promise<[code: number, output: string]> {
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  return [await child.exited, output];
}

describe("the help of a command", () => {
  test.each([
    ["healthcheck", "--http-port", "--mqtt-port"],
    ["setup-link", "--data", "--mqtt-port"],
    ["licenses", "The command has no options.", "MIT License"],
    ["version", "The command has no options.", "--data"],
    ["serve", "What most people set:", "undefined"],
    ["backup", "--to", "--http-port"],
  ])("%s is its own", async (name, contained, missing) => {
    const [code, help] = await run(name, "--help");
    expect([code, help]).toEqual([0, expect.stringContaining(contained)]);
    expect(help).not.toContain(missing);
    expect(await run("help", name)).toEqual([0, help]);
  });

  test("is suggested for an unknown command, by the nearest name", async () => {
    expect(await run("exprot")).toEqual([
      2,
      expect.stringMatching(/^"exprot" is not a command\. Did you mean "lineside export"\?\n/),
    ]);
    expect(await run("version", "--frob")).toEqual([
      2,
      'lineside version: "--frob" is not an option. The command has no options.\n',
    ]);
  });
});

/** Requests of a signed-in owner: method and path (ID is a device, $TOKEN its access token), body, and the message of the answer. */
const requests: ReadonlyArray<readonly [request: string, body: unknown, message: string]> = [
  [
    "GET /api/devices?limit=0",
    undefined,
    "query limit: must be an integer from 1 to 10000 (at most this many items; 1000 unless given)",
  ],
  [
    "GET /api/devices?limit=x",
    undefined,
    "query limit: must be an integer from 1 to 10000 (at most this many items; 1000 unless given)",
  ],
  [
    "GET /api/devices?offset=-1",
    undefined,
    "query offset: must be an integer from 0 to 1000000000 (number of items to skip)",
  ],
  ["GET /api/devices?active=maybe", undefined, "query active: must be true or false"],
  [
    "GET /api/devices?state=FOO",
    undefined,
    "query state: must be one of: ACTIVE, INACTIVE, NEVER_CONNECTED, MAINTENANCE",
  ],
  [
    "GET /api/devices?sort=foo",
    undefined,
    "query sort: must be one of name, deviceType, createdAt, lastActivityAt, active, state, key:…; put - before it to reverse the order",
  ],
  ["GET /api/devices/nope", undefined, "There is no device with this id."],
  [
    "GET /api/nope",
    undefined,
    "There is nothing at this path. The API documentation, at /docs below the gateway's address, lists all paths.",
  ],
  ["POST /api/devices", undefined, "name: is required (1 to 256 characters in one line)"],
  [
    "POST /api/devices",
    { name: 5, deviceType: "y" },
    "name: must be a string (1 to 256 characters in one line)",
  ],
  ["POST /api/devices", { name: "x", deviceType: "y", role: "X" }, "role: must be one of: DEVICE, GATEWAY"],
  ["PATCH /api/devices/ID", { nope: 1 }, "`nope` is not a field of this object. Nothing was changed."],
  [
    "POST /api/devices/ID/commands",
    {},
    "one of command, method, key with value, channel with state, or type is required",
  ],
  [
    "POST /api/devices/ID/commands",
    { method: "x", retries: "5" },
    "retries: must be an integer from 0 to 100 (0 by default)",
  ],
  [
    "GET /api/devices/ID/telemetry/range",
    undefined,
    "query from: is required (start of the range, epoch ms)",
  ],
  [
    "GET /api/devices/ID/telemetry/range?from=1&to=0",
    undefined,
    "from and to must be epoch milliseconds, with from not after to",
  ],
  [
    "GET /api/devices/ID/telemetry/range?from=0&to=1&aggregation=median",
    undefined,
    "aggregation must be one of none, min, max, avg, sum, count, first, last, delta, timeIn",
  ],
  [
    "GET /api/devices/ID/telemetry/range?from=0&to=1&aggregation=avg&interval=5x",
    undefined,
    "interval must be a number of ms, a duration such as 30s, 15m, 1h, 1d, 1w or 1mo, or times of day such as 06:00,14:00,22:00",
  ],
  [
    "GET /api/devices/ID/telemetry/range?from=0&to=1&aggregation=avg&interval=1d&timezone=Mars",
    undefined,
    "timezone must be an IANA name such as Europe/Berlin",
  ],
  [
    "POST /api/uplinks",
    { name: "u", target: { type: "HTTP", url: "ftp://x" } },
    "target.url: must be an http or https address",
  ],
  [
    "POST /api/integrations",
    { name: "u", type: "FOO" },
    "type: must be one of: HTTP, MQTT, CHIRPSTACK, THE_THINGS_STACK",
  ],
  [
    "POST /api/scheduler",
    { name: "s", schedule: { kind: "CRON", expression: "61 * * * *" } },
    "action: is required (an object)",
  ],
  [
    "POST /api/device-profiles",
    { name: "p", commandTimeoutMs: 1 },
    "commandTimeoutMs: must be an integer from 100 to 86400000 (ms until a command without an answer times out; kept, not used by this version)",
  ],
  [
    "POST /api/api-keys",
    { name: "g", role: "X" },
    "role: must be one of: TENANT_OWNER, TENANT_ADMIN, TENANT_RW, TENANT_READ_ONLY (TENANT_OWNER, TENANT_ADMIN, TENANT_RW or TENANT_READ_ONLY; not above the caller's own)",
  ],
  [
    "POST /api/dashboards",
    { name: "" },
    "name: must be a string that is not empty (1 to 256 characters in one line)",
  ],
  [
    "POST /api/mqtt/clients",
    { name: "c", signIn: "PASSWORD", username: "ab", publish: ["a/#/b"], subscribe: [] },
    "“a/#/b” is not a valid topic pattern: + must fill a whole level, and # must be the last level",
  ],
  [
    "GET /api/audit?limit=0",
    undefined,
    "query limit: must be an integer from 1 to 1000 (at most this many, 100 by default)",
  ],
  [
    "GET /api/alarms?severity=FATAL",
    undefined,
    "severity: must be one of INDETERMINATE, WARNING, MINOR, MAJOR, CRITICAL",
  ],
  [
    "GET /api/devices?sort=key:",
    undefined,
    "query sort: must be one of name, deviceType, createdAt, lastActivityAt, active, state, key:…; put - before it to reverse the order",
  ],
  [
    "POST /api/data-pipelines",
    { name: "p", steps: [{ type: "webhook_forward", url: "http://127.0.0.1" }] },
    "steps: the gateway sends nothing to 127.0.0.1: it is this machine itself; to allow this address, add it to the setting outbound_allow",
  ],
  [
    "GET /api/users?sort=foo",
    undefined,
    "query sort: must be one of fullName, email, role, status, createdAt; put - before it to reverse the order",
  ],
  [
    "POST /api/devices",
    { name: "a\nb", deviceType: "t" },
    "name: must be one line with a visible character, without control characters",
  ],
  [
    "POST /api/devices",
    { name: "x", deviceType: "t", lorawanDevEui: "12" },
    "lorawanDevEui: must be 16 hexadecimal digits",
  ],
  [
    "POST /api/devices",
    { name: "three", deviceType: "a", parentDeviceId: "ID" },
    "parentDeviceId: is not the id of a device with the role GATEWAY that you have access to",
  ],
  [
    "POST /api/devices",
    { name: "two", deviceType: "a", token: "$TOKEN" },
    "token: another device has this access token. Leave it out to get a random one.",
  ],
  ["PUT /api/devices/ID/credentials", {}, "type: is required (one of: ACCESS_TOKEN, MQTT_BASIC, X509)"],
  [
    "PUT /api/devices/ID/credentials",
    { type: "FOO" },
    "type: must be one of: ACCESS_TOKEN, MQTT_BASIC, X509",
  ],
  [
    "PUT /api/devices/ID/credentials",
    { type: "ACCESS_TOKEN", token: "a b" },
    "token: must be 20 to 128 letters, digits and . _ ~ -",
  ],
  [
    "PUT /api/devices/ID/credentials",
    { type: "MQTT_BASIC", username: "a\u0001" },
    "username: must be one line without control characters",
  ],
  [
    "PUT /api/gateway/mail",
    {
      server: { host: "http://x", port: 25, security: "TLS", user: "", acceptsAnyCertificate: false },
      from: "a@b.example",
    },
    "server.host: must be a host name or an IP address, without a port and without a scheme",
  ],
  ["POST /api/gateway/backup/test", { place: { kind: "ftp" } }, "place.kind: must be one of: folder, s3"],
  [
    "POST /api/gateway/backup/test",
    {
      place: { kind: "s3", endpoint: "https://x", region: "r", bucket: "b", prefix: "/x", accessKeyId: "a" },
    },
    "place.prefix: must be empty, or a path that ends with / and does not begin with /",
  ],
  [
    "PATCH /api/notifications/settings",
    { messaging: { url: "x", contentType: "json", body: "" } },
    "messaging.contentType: must be a content type such as application/json",
  ],
  [
    "POST /api/notifications/messengers",
    { name: "m", kind: "NTFY", topic: "a b" },
    "topic: must be letters, digits, - and _",
  ],
  [
    "POST /api/uplinks",
    { name: "u", target: { type: "KAFKA", brokers: ["a:1"], eventTopic: "a b" } },
    "target.eventTopic: must be 1 to 249 letters, digits and . _ -",
  ],
  [
    "POST /api/uplinks",
    { name: "u", target: { type: "MQTT", url: "mqtt://x", format: "SPARKPLUG_B", groupId: "a/b" } },
    "target.groupId: must be one level of a topic, without / + and #",
  ],
  [
    "POST /api/uplinks",
    { name: "u", target: { type: "MQTT", url: "broker" } },
    "target.url: must be an address that begins with mqtt://, mqtts://, ws:// or wss://",
  ],
  [
    "POST /api/uplinks",
    { name: "u", target: { type: "PARQUET", place: { kind: "FTP" } } },
    "target.place.kind: must be one of: FOLDER, S3",
  ],
  ["POST /api/alarms/nope/comments", { message: "  " }, "message: must be a string with a visible character"],
  [
    "PATCH /api/users/nope",
    { notificationPhone: "abc" },
    "notificationPhone: must be a phone number such as +49 30 1234567, or empty",
  ],
  [
    "POST /api/scheduler",
    { name: "s", schedule: { kind: "cron", expression: "61 * * * *" }, action: { type: "command" } },
    "schedule.expression: minute: 61 is not between 0 and 59",
  ],
  [
    "POST /api/scheduler",
    { name: "s", schedule: { kind: "once", at: "x" }, action: { type: "command" } },
    "schedule.at: must be a time like 2026-12-24T18:00:00Z, or without Z in the time zone of the job",
  ],
  ["POST /api/scheduler", { name: "s", schedule: "x", action: {} }, "schedule: must be an object"],
  [
    "POST /api/data-pipelines",
    { name: "p", steps: [{ type: "derive_key", target: "a", expression: "b" }] },
    "steps[0]: derive_key has no field target; its fields are key, expression",
  ],
  [
    "POST /api/data-pipelines",
    { name: "p", steps: [{ type: "derive_key", key: "a", expression: "b +" }] },
    "steps[0]: expression: the expression ends too early",
  ],
  [
    "POST /api/api-keys",
    { name: "k", role: "TENANT_RW", expiresAt: "yesterday" },
    "the expiry (expiresAt) must be a time in the future (ISO 8601)",
  ],
  [
    "GET /api/audit?from=x",
    undefined,
    "query from: must be a time in ISO 8601 such as 2026-12-24T18:00:00Z, or in epoch ms",
  ],
  ["POST /api/devices/ID/maintenance", { until: "x" }, "until: must be a time like 2026-12-24T18:00:00Z"],
  [
    "POST /api/v1/$TOKEN/telemetry",
    { ts: "x", values: { a: 1 } },
    "ts must be an epoch time (s, ms, µs or ns) or a date such as 2026-12-31T10:00:00Z",
  ],
  [
    "POST /api/mqtt/publish",
    { topic: "a/#", payload: "x" },
    "topic: must not contain + or #, and must not begin with $ or lineside/",
  ],
  [
    "POST /api/tenant-attributes",
    { key: "", value: {} },
    "key: must be a string that is not empty (1 to 256 characters in one line)",
  ],
];

describe("an answer of the API", () => {
  test("says what is wrong, where, and what is allowed", async () => {
    const fixture = await createTestApp();
    const { setup, provider, identity } = fixture.app.services;
    const email = "owner@plant.example";
    await setup.createOwner({ email, password: PASSWORD, fullName: "Owner", tenantName: "Plant" });
    const { code } = await provider.signIn({ email, password: PASSWORD, address: "test" });
    const token = (await identity.exchange(code, undefined)).accessToken;
    const device = await fixture.createDevice(token, { name: "Press" });
    const filled = (text: string) => text.replace("ID", device.deviceId).replace("$TOKEN", device.token);
    for (const [request, body, message] of requests) {
      const [method = "", path = ""] = filled(request).split(" ");
      const sent = body === undefined ? undefined : JSON.parse(filled(JSON.stringify(body)));
      const answer = await fixture.call(method as "GET", path, { token, body: sent });
      expect([request, answer.body.message]).toEqual([request, message]);
      expect(answer.text).not.toMatch(INTERNAL);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    await fixture.stop();
    rmSync(fixture.directory, { recursive: true, force: true });
  });

  test("names the permission that a role lacks", async () => {
    const fixture = await createTestApp();
    const { token } = await fixture.signIn("TENANT_READ_ONLY");
    const { body } = await fixture.call("POST", "/api/devices", { token, body: { name: "x" } });
    await fixture.stop();
    expect(body).toMatchObject({ code: "auth.forbidden", params: { permission: "devices:write" } });
    expect(body.message).toContain("(devices:write)");
  });

  test("names no pattern: each one of the API is a form that has words in every language", async () => {
    const fixture = await createTestApp();
    const patterns = new Set<string>();
    const collect = (part: unknown): void => {
      if (typeof part !== "object" || part === null) return;
      if ("pattern" in part && "type" in part && part.type === "string") patterns.add(String(part.pattern));
      for (const inner of Object.values(part)) collect(inner);
    };
    collect((await fixture.call("GET", "/docs/json")).body);
    await fixture.stop();
    // Documentation of a path: the route has an error for it.
    patterns.delete("^\\d{1,15}$");
    const unnamed = [...patterns].filter((pattern) => {
      const text = formText(pattern);
      return text === undefined || renderIn("en", text) === text.code || renderIn("de", text) === text.code;
    });
    expect(patterns.size).toBeGreaterThan(20);
    expect(unnamed).toEqual([]);
  });
});
