import { describe, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { until } from "../support/until.ts";
import { type ContractRow, contract, createWorld, keep } from "./client.ts";
import { boolean, emptyList, including, iso, listOf, nullable, oneOf, text, uuid } from "./shapes.ts";

const clock = new FakeClock(Date.now());
const world = createWorld({ clock });
const time = "/api/scheduler";
const action = () => ({ type: "attributes", deviceIds: [world.ids.device], attributes: { target: 19 } });
const every = { kind: "interval", everyMs: 60_000, timezone: "UTC" };
const job = (fields: object = {}) => ({
  body: () => ({ name: "Night", enabled: true, schedule: every, action: action(), ...fields }),
});
const record = {
  jobId: uuid,
  name: text,
  enabled: boolean,
  status: oneOf("active", "paused", "completed"),
  schedule: { kind: oneOf("cron", "interval", "once") },
  action: { type: oneOf("attributes", "command") },
  misfire: oneOf("skip", "once"),
  nextRunAt: nullable(iso),
};
const schedule = (fields: object) => job({ schedule: { timezone: "UTC", ...fields } });

describe("scheduled jobs", () => {
  contract(world, [
    [
      "are created",
      `rw POST ${time}`,
      201,
      {
        ...job(),
        is: { ...record, name: "Night", status: "active", nextRunAt: iso },
        check: keep(world, "job", (body) => body.jobId),
      },
    ],
    [
      "take a cron expression",
      `rw POST ${time}`,
      201,
      {
        ...schedule({ kind: "cron", expression: "0 6 * * 1-5" }),
        is: { ...record, schedule: { kind: "cron", expression: "0 6 * * 1-5" } },
      },
    ],
    [
      "take one time",
      `rw POST ${time}`,
      201,
      {
        ...schedule({ kind: "once", at: new Date(Date.now() + 3_600_000_000).toISOString() }),
        is: { ...record, schedule: { kind: "once", at: iso } },
      },
    ],
    [
      "take a command",
      `rw POST ${time}`,
      201,
      {
        body: () => ({
          ...job().body(),
          action: { type: "command", deviceIds: [world.ids.device], command: { method: "reboot" } },
        }),
        is: { ...record, action: { type: "command" } },
      },
    ],
    [
      "take a device type",
      `rw POST ${time}`,
      201,
      { ...job({ action: { type: "attributes", deviceType: "sensor", attributes: { a: 1 } } }), is: record },
    ],
    ["take misfire once", `rw POST ${time}`, 201, { ...job({ misfire: "once" }), is: { misfire: "once" } }],
    ...Object.entries({
      "no name": { name: undefined },
      "no schedule": { schedule: undefined },
      "no action": { action: undefined },
      "an unknown kind": { schedule: { ...every, kind: "moon" } },
      "an unknown time zone": { schedule: { ...every, timezone: "Mars/Base" } },
      "a broken cron expression": { schedule: { kind: "cron", expression: "every day", timezone: "UTC" } },
      "an interval without its length": { schedule: { kind: "interval", timezone: "UTC" } },
      "an interval that is a text": { schedule: { ...every, everyMs: "60000" } },
      "a time that is none": { schedule: { kind: "once", at: "tomorrow", timezone: "UTC" } },
      "an unknown action": { action: { type: "email", deviceIds: ["x"] } },
      "an action without devices": { action: { type: "attributes", attributes: { a: 1 } } },
      "an unknown misfire": { misfire: "twice" },
      "a flag that is a text": { enabled: "yes" },
    }).map(([name, fields]): ContractRow => [`refuse ${name}`, `rw POST ${time}`, 400, job(fields)]),
    [
      "refuse another tenant's device",
      `rw POST ${time}`,
      404,
      { body: () => ({ ...job().body(), action: { ...action(), deviceIds: [world.ids.foreign] } }) },
    ],
    ["are listed", `reader GET ${time}`, 200, { is: listOf(record) }],
    ["are not listed to another tenant", `stranger GET ${time}`, 200, { is: emptyList }],
    ["are read", `reader GET ${time}/{job}`, 200, { is: record }],
    ["are 404 when unknown", `owner GET ${time}/{unknown}`, 404],
    ["are changed", `rw PATCH ${time}/{job}`, 200, { body: { name: "Day" }, is: { ...record, name: "Day" } }],
    ...[[], "x", 5, true, { schedule: "x" }, { action: 5 }, { enabled: "no" }].map(
      (body): ContractRow => [`refuse ${JSON.stringify(body)}`, `rw PATCH ${time}/{job}`, 400, { body }],
    ),
    ...["GET", "PATCH", "DELETE"].map(
      (method): ContractRow => [
        `are 404 for another tenant's ${method}`,
        `stranger ${method} ${time}/{job}`,
        404,
        method === "PATCH" ? { body: { name: "x" } } : {},
      ],
    ),
    ["another tenant sees no runs", `stranger GET ${time}/{job}/runs`, 404],
    ["are not created by a reader", `reader POST ${time}`, 403, job()],
    ["are not changed by a reader", `reader PATCH ${time}/{job}`, 403, { body: { name: "x" } }],
    ["are not deleted by a reader", `reader DELETE ${time}/{job}`, 403],
    ["are not started by a reader", `reader POST ${time}/{job}/start`, 403],
    ["are not paused by a reader", `reader POST ${time}/{job}/pause`, 403],
    ["are 404 to start for another tenant", `stranger POST ${time}/{job}/start`, 404],
    ["are 404 to pause for another tenant", `stranger POST ${time}/{job}/pause`, 404],
    ["pause", `rw POST ${time}/{job}/pause`, 200, { is: { ...record, status: "paused" } }],
    ["start", `rw POST ${time}/{job}/start`, 200, { is: { ...record, status: "active" } }],
    ["have no runs at first", `reader GET ${time}/{job}/runs`, 200, { is: emptyList }],
  ]);
});

describe("the preview of run times", () => {
  const path = `reader POST ${time}/preview-next`;
  contract(world, [
    [
      "answers as many as asked",
      path,
      200,
      {
        body: { schedule: { kind: "cron", expression: "0 6 * * *", timezone: "UTC" }, count: 3 },
        is: { next: [/T06:00:00(\.000)?Z$/, /T06:00:00(\.000)?Z$/, /T06:00:00(\.000)?Z$/] },
      },
    ],
    [
      "keeps the hour of a time zone",
      path,
      200,
      {
        body: { schedule: { kind: "cron", expression: "0 6 1 7 *", timezone: "Europe/Vienna" }, count: 1 },
        is: { next: [/-07-01T04:00:00(\.000)?Z$/] },
      },
    ],
    ["needs a schedule", path, 400, { body: { count: 3 } }],
    ["refuses a count that is a text", path, 400, { body: { schedule: every, count: "3" } }],
    [
      "refuses a broken expression",
      path,
      400,
      { body: { schedule: { kind: "cron", expression: "x", timezone: "UTC" }, count: 1 } },
    ],
  ]);
});

describe("running", () => {
  const run = {
    runId: uuid,
    jobId: uuid,
    scheduledFor: iso,
    startedAt: iso,
    finishedAt: iso,
    status: oneOf("SUCCESS", "FAILED", "PARTIAL", "SKIPPED"),
    targets: (value: unknown) => (Array.isArray(value) ? undefined : "no targets"),
  };
  const runs = async () => world.need("owner", `GET ${time}/{job}/runs`);

  test("a due job runs within 15 s of its time, once, and saves SHARED attributes", async () => {
    const { nextRunAt } = await world.need("owner", `GET ${time}/{job}`);
    const due = Date.parse(nextRunAt);
    while (clock.now() < due + 15_000) {
      clock.advance(15_000);
      await runs(); // what the last check began goes on in between
    }
    await until(async () => (await runs())[0]?.status === "SUCCESS", "a run");
    const list = await runs();
    expect(
      list.filter(({ scheduledFor }: { scheduledFor: string }) => Date.parse(scheduledFor) === due),
    ).toHaveLength(1);
    const attributes = await world.need("owner", "GET /api/devices/{device}/attributes?scope=SHARED");
    expect(attributes.find(({ key }: { key: string }) => key === "target").value).toBe(19);
  });

  contract(world, [
    [
      "has a record of it",
      `reader GET ${time}/{job}/runs`,
      200,
      { is: including({ ...run, status: "SUCCESS" }) },
    ],
    [
      "names the last run",
      `reader GET ${time}/{job}`,
      200,
      { is: { ...record, lastRunAt: iso, lastStatus: "SUCCESS", nextRunAt: iso } },
    ],
    ["deletes", `rw DELETE ${time}/{job}`, 200, { is: { success: true } }],
    ["is gone then", `rw GET ${time}/{job}`, 404],
  ]);
});
