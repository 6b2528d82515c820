import { describe, expect, test } from "bun:test";
import { formText } from "../../src/lib/core/text-forms.ts";
import { renderIn } from "../../src/lib/texts/catalogues.ts";
import { createTestApp } from "../support/test-app.ts";

/** Mistakes in requests, and the exact words that people read: what failed, where, and what to do. */

/** Not for people: errnos, names of classes, patterns. */
const INTERNAL =
  /\bE[A-Z]{4,}\b|DomainError|TypeError|\[object|undefined|\\[dws]|\(\?|\^-|positional argument|Invalid TOML document/;

/** Requests of a signed-in owner: method and path (ID is a device, $TOKEN its access token), body, and the message of the answer. */
const requests: ReadonlyArray<readonly [request: string, body: unknown, message: string]> = [
  [
    "GET /api/devices?limit=0",
    undefined,
    "`limit` must be an integer from 1 to 10000 (maximum number of items; default 1000).",
  ],
  [
    "GET /api/devices?limit=x",
    undefined,
    "`limit` must be an integer from 1 to 10000 (maximum number of items; default 1000).",
  ],
  [
    "GET /api/devices?offset=-1",
    undefined,
    "`offset` must be an integer from 0 to 1000000000 (number of items to skip).",
  ],
  ["GET /api/devices?active=maybe", undefined, "`active` must be true or false."],
  [
    "GET /api/devices?state=FOO",
    undefined,
    "`state` must be one of ACTIVE, INACTIVE, NEVER_CONNECTED, MAINTENANCE.",
  ],
  [
    "GET /api/devices?sort=foo",
    undefined,
    "`sort` must be one of name, deviceType, createdAt, lastActivityAt, active, state, key:…, with - before it to reverse the order.",
  ],
  ["GET /api/devices/nope", undefined, "There is no device with this ID, or you have no access to it."],
  [
    "GET /api/nope",
    undefined,
    "There is nothing at this path. The API documentation, at /docs below the gateway's address, lists all paths.",
  ],
  ["POST /api/devices", undefined, "`name` is required (1 to 256 characters in one line)."],
  [
    "POST /api/devices",
    { name: 5, deviceType: "y" },
    "`name` must be a string (1 to 256 characters in one line).",
  ],
  ["POST /api/devices", { name: "x", deviceType: "y", role: "X" }, "`role` must be one of DEVICE, GATEWAY."],
  ["PATCH /api/devices/ID", { nope: 1 }, "`nope` is not a field of this object. Nothing was changed."],
  [
    "POST /api/devices/ID/commands",
    {},
    "One of these is required: command, method, key with value, channel with state, or type.",
  ],
  [
    "POST /api/devices/ID/commands",
    { method: "x", retries: "5" },
    "`retries` must be an integer from 0 to 100 (0 by default).",
  ],
  ["GET /api/devices/ID/telemetry/range", undefined, "`from` is required (start of the range, epoch ms)."],
  [
    "GET /api/devices/ID/telemetry/range?from=1&to=0",
    undefined,
    "`from` and `to` must be epoch milliseconds, and `from` must not be after `to`.",
  ],
  [
    "GET /api/devices/ID/telemetry/range?from=0&to=1&aggregation=median",
    undefined,
    "`aggregation` must be one of none, min, max, avg, sum, count, first, last, delta, timeIn.",
  ],
  [
    "GET /api/devices/ID/telemetry/range?from=0&to=1&aggregation=avg&interval=5x",
    undefined,
    "`interval` must be a number of ms, a duration such as 30s, 15m, 1h, 1d, 1w or 1mo, or times of day such as 06:00,14:00,22:00.",
  ],
  [
    "GET /api/devices/ID/telemetry/range?from=0&to=1&aggregation=avg&interval=1d&timezone=Mars",
    undefined,
    "`timezone` must be an IANA name such as Europe/Berlin.",
  ],
  [
    "POST /api/uplinks",
    { name: "u", target: { type: "HTTP", url: "ftp://x" } },
    "`target.url` must be an http or https address.",
  ],
  [
    "POST /api/integrations",
    { name: "u", type: "FOO" },
    "`type` must be one of HTTP, MQTT, CHIRPSTACK, THE_THINGS_STACK.",
  ],
  [
    "POST /api/scheduler",
    { name: "s", schedule: { kind: "CRON", expression: "61 * * * *" } },
    "`action` is required (an object).",
  ],
  [
    "POST /api/device-profiles",
    { name: "p", commandTimeoutMs: 1 },
    "`commandTimeoutMs` must be an integer from 100 to 86400000 (ms until a command without a response times out; also the default `retryIntervalMs` of a command).",
  ],
  [
    "POST /api/api-keys",
    { name: "g", role: "X" },
    "`role` must be one of TENANT_OWNER, TENANT_ADMIN, TENANT_RW, TENANT_READ_ONLY (not above the caller's own).",
  ],
  [
    "POST /api/dashboards",
    { name: "" },
    "`name` must be a string that is not empty (1 to 256 characters in one line).",
  ],
  [
    "POST /api/mqtt/clients",
    { name: "c", signIn: "PASSWORD", username: "ab", publish: ["a/#/b"], subscribe: [] },
    "“a/#/b” is not a valid topic pattern: + must fill a whole level, and # must be the last level.",
  ],
  [
    "GET /api/audit?limit=0",
    undefined,
    "`limit` must be an integer from 1 to 1000 (maximum number of entries; default 100).",
  ],
  [
    "GET /api/alarms?severity=FATAL",
    undefined,
    "`severity` must be one of INDETERMINATE, WARNING, MINOR, MAJOR, CRITICAL.",
  ],
  [
    "GET /api/devices?sort=key:",
    undefined,
    "`sort` must be one of name, deviceType, createdAt, lastActivityAt, active, state, key:…, with - before it to reverse the order.",
  ],
  [
    "POST /api/data-pipelines",
    { name: "p", steps: [{ type: "webhook_forward", url: "http://127.0.0.1" }] },
    "`steps` contains an address that the gateway does not send to: 127.0.0.1. It is an address of this machine. To allow this address, add it to the setting outbound_allow.",
  ],
  [
    "GET /api/users?sort=foo",
    undefined,
    "`sort` must be one of fullName, email, role, status, createdAt, with - before it to reverse the order.",
  ],
  [
    "POST /api/devices",
    { name: "a\nb", deviceType: "t" },
    "`name` must be one line with a visible character, without control characters.",
  ],
  [
    "POST /api/devices",
    { name: "x", deviceType: "t", lorawanDevEui: "12" },
    "`lorawanDevEui` must be 16 hexadecimal digits.",
  ],
  [
    "POST /api/devices",
    { name: "three", deviceType: "a", parentDeviceId: "ID" },
    "`parentDeviceId` is not the ID of a device with the role GATEWAY that you have access to.",
  ],
  [
    "POST /api/devices",
    { name: "two", deviceType: "a", token: "$TOKEN" },
    "`token` is the access token of another device. Leave it out to get a random token.",
  ],
  ["PUT /api/devices/ID/credentials", {}, "`type` is required (one of ACCESS_TOKEN, MQTT_BASIC, X509)."],
  [
    "PUT /api/devices/ID/credentials",
    { type: "FOO" },
    "`type` must be one of ACCESS_TOKEN, MQTT_BASIC, X509.",
  ],
  [
    "PUT /api/devices/ID/credentials",
    { type: "ACCESS_TOKEN", token: "a b" },
    "`token` must be a string of 20 to 128 letters, digits and . _ ~ -.",
  ],
  [
    "PUT /api/devices/ID/credentials",
    { type: "MQTT_BASIC", username: "a\u0001" },
    "`username` must be one line without control characters.",
  ],
  [
    "PUT /api/gateway/mail",
    {
      server: { host: "http://x", port: 25, security: "TLS", user: "", acceptsAnyCertificate: false },
      from: "a@b.example",
    },
    "`server.host` must be a host name or an IP address, without port or scheme.",
  ],
  ["POST /api/gateway/backup/test", { place: { kind: "ftp" } }, "`place.kind` must be one of folder, s3."],
  [
    "POST /api/gateway/backup/test",
    {
      place: { kind: "s3", endpoint: "https://x", region: "r", bucket: "b", prefix: "/x", accessKeyId: "a" },
    },
    "`place.prefix` must be empty, or a path that ends with / and does not begin with /.",
  ],
  [
    "PATCH /api/notifications/settings",
    { messaging: { url: "x", contentType: "json", body: "" } },
    "`messaging.contentType` must be a content type such as application/json.",
  ],
  [
    "POST /api/notifications/messengers",
    { name: "m", kind: "NTFY", topic: "a b" },
    "`topic` must be a string of letters, digits, - and _.",
  ],
  [
    "POST /api/uplinks",
    { name: "u", target: { type: "KAFKA", brokers: ["a:1"], eventTopic: "a b" } },
    "`target.eventTopic` must be a string of 1 to 249 letters, digits and . _ -.",
  ],
  [
    "POST /api/uplinks",
    { name: "u", target: { type: "MQTT", url: "mqtt://x", format: "SPARKPLUG_B", groupId: "a/b" } },
    "`target.groupId` must be one level of a topic, without /, + or #.",
  ],
  [
    "POST /api/uplinks",
    { name: "u", target: { type: "MQTT", url: "broker" } },
    "`target.url` must be an address that begins with mqtt://, mqtts://, ws:// or wss://.",
  ],
  [
    "POST /api/uplinks",
    { name: "u", target: { type: "PARQUET", place: { kind: "FTP" } } },
    "`target.place.kind` must be one of FOLDER, S3.",
  ],
  [
    "POST /api/alarms/nope/comments",
    { message: "  " },
    "`message` must be a string with a visible character.",
  ],
  [
    "PATCH /api/users/nope",
    { notificationPhone: "abc" },
    "`notificationPhone` must be a phone number such as +49 30 1234567, or empty.",
  ],
  [
    "POST /api/scheduler",
    { name: "s", schedule: { kind: "cron", expression: "61 * * * *" }, action: { type: "command" } },
    "`schedule.expression` is not valid (minute): 61 is not between 0 and 59.",
  ],
  [
    "POST /api/scheduler",
    { name: "s", schedule: { kind: "once", at: "x" }, action: { type: "command" } },
    "`schedule.at` must be a time like 2026-12-24T18:00:00Z, or without Z in the time zone of the job.",
  ],
  ["POST /api/scheduler", { name: "s", schedule: "x", action: {} }, "`schedule` must be an object."],
  [
    "POST /api/data-pipelines",
    { name: "p", steps: [{ type: "derive_key", target: "a", expression: "b" }] },
    "`steps[0]` has the unknown field target. The fields of derive_key are: key, expression.",
  ],
  [
    "POST /api/data-pipelines",
    { name: "p", steps: [{ type: "derive_key", key: "a", expression: "b +" }] },
    "`steps[0]`: `expression` is not valid: The expression ends too early.",
  ],
  [
    "POST /api/api-keys",
    { name: "k", role: "TENANT_RW", expiresAt: "yesterday" },
    "`expiresAt` must be a time in the future (ISO 8601).",
  ],
  [
    "GET /api/audit?from=x",
    undefined,
    "`from` must be a time in ISO 8601 such as 2026-12-24T18:00:00Z, or in epoch ms.",
  ],
  [
    "POST /api/devices/ID/maintenance",
    { until: "x" },
    "`until` must be a time such as 2026-12-24T18:00:00Z.",
  ],
  [
    "POST /api/v1/$TOKEN/telemetry",
    { ts: "x", values: { a: 1 } },
    "`ts` must be an epoch time (s, ms, µs or ns) or a date such as 2026-12-31T10:00:00Z.",
  ],
  [
    "POST /api/mqtt/publish",
    { topic: "a/#", payload: "x" },
    "`topic` must not contain + or #, and must not begin with $ or lineside/.",
  ],
  [
    "POST /api/tenant-attributes",
    { key: "", value: {} },
    "`key` must be a string that is not empty (1 to 256 characters in one line).",
  ],
];

describe("an error of the API", () => {
  test("says what is wrong, where, and what is allowed", async () => {
    const fixture = await createTestApp();
    const { token } = await fixture.signIn("TENANT_OWNER");
    const device = await fixture.createDevice(token, { name: "Press" });
    const filled = (text: string) => text.replace("ID", device.deviceId).replace("$TOKEN", device.token);
    for (const [request, body, message] of requests) {
      const [method = "", path = ""] = filled(request).split(" ");
      const sent = body === undefined ? undefined : JSON.parse(filled(JSON.stringify(body)));
      const response = await fixture.call(method as "GET", path, { token, body: sent });
      expect([request, response.body.message]).toEqual([request, message]);
      expect(response.text).not.toMatch(INTERNAL);
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
    await fixture.stop();
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
