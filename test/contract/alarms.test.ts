import { describe, expect } from "bun:test";
import { until } from "../support/until.ts";
import { type ContractRow, contract, createWorld, keep } from "./client.ts";
import { emptyList, iso, listOf, text, uuid, without } from "./shapes.ts";

const hot = { key: "temp", source: "telemetry", op: "GT", value: 30 };
const cool = { key: "temp", source: "telemetry", op: "LT", value: 25 };
const rules = [
  {
    id: "hot",
    alarmType: "Too hot",
    createRules: [
      { severity: "CRITICAL", condition: { ...hot, value: 50 } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the product
      { severity: "MAJOR", condition: hot, message: "${deviceName} is at ${temp}" },
    ],
    clearRule: { condition: cool },
  },
  {
    id: "wet",
    alarmType: "Wet",
    createRules: [
      { severity: "MINOR", condition: { key: "wet", source: "telemetry", op: "EQ", value: true } },
    ],
  },
];

const world = createWorld({
  prepare: async ({ need, ids, tokens, test }) => {
    const profile = await need("rw", "POST /api/device-profiles", { name: "guarded", alarmRules: rules });
    for (const name of ["device", "granted"])
      await need("rw", `PATCH /api/devices/{${name}}`, { profileId: profile.profileId });
    // A read-only user who may acknowledge, in place of the anonymous client's name.
    const { token, user } = await test.signIn("TENANT_READ_ONLY", { tenant: "plant" });
    await need("owner", `PATCH /api/users/${user.userId}`, { canAcknowledgeAlarms: true });
    tokens.flagged = token;
    await send({ temp: 40, wet: true });
    await until(async () => (await alarms()).length === 2, "two alarms");
    const list = await alarms();
    ids.hot = list.find(({ severity }) => severity === "MAJOR")?.alarmId ?? "";
    ids.wet = list.find(({ severity }) => severity === "MINOR")?.alarmId ?? "";
  },
});
const send = (values: object) =>
  world.need("anonymous", "POST /api/v1/{deviceToken}/telemetry", { payload: values });
const alarms = (): Promise<Array<Record<string, string>>> => world.need("owner", "GET /api/alarms");
const status = (name: string, expected: string): ContractRow => [
  `is ${expected} then`,
  `owner GET /api/alarms/{${name}}`,
  200,
  { is: { status: expected } },
];
const events = (name: string, ...types: string[]): ContractRow => [
  `has the events ${types.join(", ")}`,
  `owner GET /api/alarms/{${name}}/events`,
  200,
  {
    check: ({ body }) =>
      expect(body.map(({ eventType }: { eventType: string }) => eventType).sort()).toEqual(types.sort()),
  },
];
const sending = (rule: string, values: object, expected: string): ContractRow => [
  rule,
  "anonymous POST /api/v1/{deviceToken}/telemetry",
  200,
  {
    body: { payload: values },
    check: () =>
      until(async () => (await world.need("owner", "GET /api/alarms/{hot}")).status === expected, expected),
  },
];

const alarm = {
  alarmId: uuid,
  deviceId: uuid,
  deviceType: "sensor",
  name: text,
  severity: text,
  status: text,
  message: text,
  createdAt: iso,
  updatedAt: iso,
};
const success = { is: { success: true } };

describe("reading alarms", () => {
  contract(world, [
    ["lists the tenant's", "reader GET /api/alarms", 200, { is: listOf(alarm) }],
    ["lists none of another tenant", "stranger GET /api/alarms", 200, { is: emptyList }],
    ["lists none of hidden devices", "limited GET /api/alarms", 200, { is: emptyList }],
    [
      "reads one",
      "reader GET /api/alarms/{hot}",
      200,
      {
        is: {
          ...alarm,
          severity: "MAJOR",
          status: "ACTIVE_UNACK",
          name: "Too hot",
          message: "device is at 40",
        },
      },
    ],
    [
      "has no acknowledgement yet",
      "reader GET /api/alarms/{hot}",
      200,
      { check: ({ body }) => expect(body.acknowledgedAt ?? null).toBeNull() },
    ],
    ["lists a device's", "reader GET /api/alarms/device/{device}", 200, { is: [alarm, alarm] }],
    ["lists none of a device without", "reader GET /api/alarms/device/{granted}", 200, { is: emptyList }],
    ["404 for an unknown alarm", "owner GET /api/alarms/{unknown}", 404],
    ["404 for another tenant's alarm", "stranger GET /api/alarms/{hot}", 404],
    ["404 for a hidden device's alarm", "limited GET /api/alarms/{hot}", 404],
    ["404 for another tenant's device", "stranger GET /api/alarms/device/{device}", 404],
    ["404 for another tenant's events", "stranger GET /api/alarms/{hot}/events", 404],
    [
      "lists events",
      "reader GET /api/alarms/{hot}/events",
      200,
      { is: [{ eventId: uuid, alarmId: uuid, eventType: "CREATED", message: text, createdAt: iso }] },
    ],
  ]);
});

describe("acknowledging", () => {
  contract(world, [
    ["403 for a read-write user", "rw PATCH /api/alarms/{hot}/ack", 403],
    ["403 for a reader", "reader PATCH /api/alarms/{hot}/ack", 403],
    ["404 for another tenant's", "stranger PATCH /api/alarms/{hot}/ack", 404],
    ["404 for a hidden device's", "limited PATCH /api/alarms/{hot}/ack", 404],
    ["works for an administrator", "admin PATCH /api/alarms/{hot}/ack", 200, success],
    status("hot", "ACTIVE_ACK"),
    ["has the time of it", "reader GET /api/alarms/{hot}", 200, { is: { acknowledgedAt: iso } }],
    ["again is a success", "admin PATCH /api/alarms/{hot}/ack", 200, success],
    events("hot", "CREATED", "ACK"),
    ["works for a reader with the flag", "flagged PATCH /api/alarms/{wet}/ack", 200, success],
    status("wet", "ACTIVE_ACK"),
  ]);
});

describe("the state machine", () => {
  contract(world, [
    sending("a value in the dead band changes nothing", { temp: 28 }, "ACTIVE_ACK"),
    [
      "the severity rises",
      "anonymous POST /api/v1/{deviceToken}/telemetry",
      200,
      {
        body: { payload: { temp: 60 } },
        check: () =>
          until(
            async () => (await world.need("owner", "GET /api/alarms/{hot}")).severity === "CRITICAL",
            "CRITICAL",
          ),
      },
    ],
    events("hot", "CREATED", "ACK", "SEVERITY_CHANGED"),
    [
      "there is at most one open alarm of a type",
      "reader GET /api/alarms/device/{device}",
      200,
      { is: [alarm, alarm] },
    ],
    sending("the clear rule clears", { temp: 20 }, "CLEARED_ACK"),
    events("hot", "CREATED", "ACK", "SEVERITY_CHANGED", "CLEARED"),
    ["403 to clear for a read-write user", "rw PATCH /api/alarms/{wet}/clear", 403],
    ["403 to clear for a reader", "reader PATCH /api/alarms/{wet}/clear", 403],
    ["404 to clear for another tenant", "stranger PATCH /api/alarms/{wet}/clear", 404],
    ["a reader with the flag clears", "flagged PATCH /api/alarms/{wet}/clear", 200, success],
    status("wet", "CLEARED_ACK"),
    ["clearing again is a success", "admin PATCH /api/alarms/{wet}/clear", 200, success],
    events("wet", "CREATED", "ACK", "CLEARED"),
  ]);
});

describe("bulk forms", () => {
  const ids = (...names: string[]) => ({ body: () => ({ alarmIds: names.map((name) => world.ids[name]) }) });
  const wrong = [{}, { alarmIds: "x" }, { alarmIds: [5] }, [], { alarmIds: { a: 1 } }];
  contract(world, [
    [
      "a new alarm comes",
      "anonymous POST /api/v1/{grantedToken}/telemetry",
      200,
      {
        body: { payload: { temp: 40 } },
        check: () =>
          until(async () => (await world.need("owner", "GET /api/alarms/device/{granted}")).length === 1),
      },
    ],
    [
      "it is listed",
      "limited GET /api/alarms",
      200,
      { is: [alarm], check: keep(world, "fresh", (body) => body[0].alarmId) },
    ],
    ...["ack", "clear"].flatMap((act): ContractRow[] => [
      ...wrong.map(
        (body): ContractRow => [
          `400 for ${JSON.stringify(body)}`,
          `admin PATCH /api/alarms/${act}/bulk`,
          400,
          { body },
        ],
      ),
      [`403 for a read-write user`, `rw PATCH /api/alarms/${act}/bulk`, 403, ids("fresh")],
      [`403 for a reader`, `reader PATCH /api/alarms/${act}/bulk`, 403, ids("fresh")],
      [`404 for another tenant's`, `stranger PATCH /api/alarms/${act}/bulk`, 404, ids("fresh")],
    ]),
    [
      "a limited administrator clears a granted device's",
      "limited PATCH /api/alarms/clear/bulk",
      200,
      { ...ids("fresh"), ...success },
    ],
    status("fresh", "CLEARED_UNACK"),
    ["an owner acknowledges", "owner PATCH /api/alarms/ack/bulk", 200, { ...ids("fresh"), ...success }],
    status("fresh", "CLEARED_ACK"),
    events("fresh", "CREATED", "CLEARED", "ACK"),
  ]);
});

describe("escalation settings", () => {
  const time = "/api/alarms/escalation-settings";
  const settings = { level1To2Minutes: 5, level2To3Minutes: 10, stopOnAck: true, stopOnClear: false };
  contract(world, [
    [
      "are read by an administrator",
      `admin GET ${time}`,
      200,
      {
        is: {
          level1To2Minutes: (value) => (typeof value === "number" ? undefined : "no number"),
          level2To3Minutes: (value) => (typeof value === "number" ? undefined : "no number"),
          stopOnAck: (value) => (typeof value === "boolean" ? undefined : "no boolean"),
          stopOnClear: (value) => (typeof value === "boolean" ? undefined : "no boolean"),
        },
      },
    ],
    ["are not read by a read-write user", `rw GET ${time}`, 403],
    ["are not read by a reader", `reader GET ${time}`, 403],
    ["are not written by a read-write user", `rw PATCH ${time}`, 403, { body: settings }],
    ["are not written by a reader", `reader PATCH ${time}`, 403, { body: settings }],
    ["are written by an owner", `owner PATCH ${time}`, 200, { body: settings, is: settings }],
    ["are the same when read", `owner GET ${time}`, 200, { is: settings }],
    ...Object.keys(settings).map(
      (field): ContractRow => [
        `need ${field}`,
        `owner PATCH ${time}`,
        400,
        { body: { ...settings, [field]: undefined } },
      ],
    ),
    [
      "refuse minutes that are a text",
      `owner PATCH ${time}`,
      400,
      { body: { ...settings, level1To2Minutes: "5" } },
    ],
    [
      "refuse a flag that is a text",
      `owner PATCH ${time}`,
      400,
      { body: { ...settings, stopOnAck: "true" } },
    ],
    ["refuse negative minutes", `owner PATCH ${time}`, 400, { body: { ...settings, level2To3Minutes: -1 } }],
    [
      "are another tenant's own",
      `stranger GET ${time}`,
      200,
      { check: ({ body }) => expect(body).not.toEqual(settings) },
    ],
  ]);
});

describe("maintenance", () => {
  const time = "/api/devices/{device}/maintenance";
  const body = { until: new Date(Date.now() + 3_600_000).toISOString(), reason: "new bearing" };
  contract(world, [
    ["is not set by a reader", `reader POST ${time}`, 403, { body }],
    ["is 404 for another tenant", `stranger POST ${time}`, 404, { body }],
    ["needs an end", `rw POST ${time}`, 400, { body: { reason: "x" } }],
    ["is set", `rw POST ${time}`, 200, { body }],
    [
      "mutes alarms and keeps data",
      "anonymous POST /api/v1/{deviceToken}/telemetry",
      200,
      { body: { payload: { temp: 70 } } },
    ],
    [
      "keeps data",
      "reader GET /api/devices/{device}/telemetry/latest",
      200,
      { is: { values: { temp: 70 } } },
    ],
    [
      "raises no alarm",
      "reader GET /api/alarms/device/{device}",
      200,
      { is: without({ status: "ACTIVE_UNACK" }) },
    ],
  ]);
});

describe("alarm rules", () => {
  const time = "rw POST /api/device-profiles";
  const rule = (fields: object) => ({
    body: () => ({ name: crypto.randomUUID(), alarmRules: [{ ...rules[1], ...fields }] }),
  });
  const when = (condition: object, fields = {}) =>
    rule({ createRules: [{ severity: "MINOR", condition, ...fields }] });
  const simple = { key: "a", source: "telemetry", op: "GT", value: 1 };
  contract(world, [
    ...["EQ", "NE", "GT", "GE", "LT", "LE"].map(
      (op): ContractRow => [`know ${op}`, time, 201, when({ ...simple, op })],
    ),
    ["know CHANGED", time, 201, when({ key: "a", source: "telemetry", op: "CHANGED" })],
    ["know STARTS_WITH", time, 201, when({ ...simple, op: "STARTS_WITH", value: "x" })],
    ["know CONTAINS", time, 201, when({ ...simple, op: "CONTAINS", value: "x" })],
    ["know IN", time, 201, when({ ...simple, op: "IN", value: [1, 2] })],
    ["know BETWEEN", time, 201, when({ ...simple, op: "BETWEEN", value: [1, 2] })],
    ["know trees", time, 201, when({ all: [simple, { any: [simple, { not: simple }] }] })],
    ["know noData", time, 201, when({ noData: { key: "a", forMs: 60_000 } })],
    [
      "know attributes as sources",
      time,
      201,
      when({ key: "a", source: "attribute", scope: "SHARED", op: "EQ", value: 1 }),
    ],
    [
      "compare with attributes",
      time,
      201,
      when({ key: "a", source: "telemetry", op: "GT", attribute: { key: "limit", scope: "SERVER" } }),
    ],
    ...["CRITICAL", "MAJOR", "MINOR", "WARNING", "INDETERMINATE"].map(
      (severity): ContractRow => [
        `know ${severity}`,
        time,
        201,
        rule({ createRules: [{ severity, condition: simple }] }),
      ],
    ),
    [
      "refuse an unknown severity",
      time,
      400,
      rule({ createRules: [{ severity: "BAD", condition: simple }] }),
    ],
    ["refuse an unknown operator", time, 400, when({ ...simple, op: "XOR" })],
    ["refuse a rule without a type", time, 400, rule({ alarmType: undefined })],
    ["refuse a rule without a condition", time, 400, rule({ createRules: [{ severity: "MINOR" }] })],
  ]);
});
