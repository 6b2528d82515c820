import { afterAll, describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { createWebhookReceiver } from "../support/webhook-receiver.ts";
import { type ContractRow, contract, createWorld, keep, type RowDetails } from "./client.ts";
import {
  absent,
  count,
  emptyList,
  epochMs,
  iso,
  listOf,
  oneOf,
  problemWith as problemOf,
  type Shape,
  text,
  uuid,
} from "./shapes.ts";

const receiver = createWebhookReceiver();
afterAll(() => receiver.stop());
const world = createWorld({ config: { outbound_allow: "127.0.0.1" } });
const time = "/api/data-pipelines";
const list = (value: unknown) => (Array.isArray(value) ? undefined : "no list");
const record = {
  pipelineId: uuid,
  name: text,
  status: oneOf("draft", "active", "paused"),
  order: count,
  scope: (value: unknown) => (typeof value === "object" ? undefined : "no scope"),
  steps: list,
  createdAt: iso,
  updatedAt: iso,
  stats: { in: count, out: count, dropped: count, errors: count },
};
const scale = { type: "scale_keys", keys: ["temp"], factor: 2 };

describe("data pipelines", () => {
  contract(world, [
    [
      "are created",
      `rw POST ${time}`,
      201,
      {
        body: () => ({
          name: "Doubling",
          description: "x 2",
          order: 3,
          scope: { deviceIds: [world.ids.device] },
          steps: [scale],
        }),
        is: { ...record, name: "Doubling", description: "x 2", order: 3, steps: [{ type: "scale_keys" }] },
        check: keep(world, "pipeline", (body) => body.pipelineId),
      },
    ],
    [
      "are created as drafts",
      `reader GET ${time}/{pipeline}`,
      200,
      { is: { ...record, status: "draft", stats: { in: 0, out: 0, dropped: 0, errors: 0 } } },
    ],
    ["need a name", `rw POST ${time}`, 400, { body: { steps: [] } }],
    ["need steps that are a list", `rw POST ${time}`, 400, { body: { name: "x", steps: {} } }],
    [
      "refuse an unknown step type",
      `rw POST ${time}`,
      400,
      { body: { name: "x", steps: [{ type: "teleport" }] } },
    ],
    [
      "refuse a step without its fields",
      `rw POST ${time}`,
      400,
      { body: { name: "x", steps: [{ type: "scale_keys" }] } },
    ],
    ["are listed", `reader GET ${time}`, 200, { is: listOf(record) }],
    ["are not listed to another tenant", `stranger GET ${time}`, 200, { is: emptyList }],
    ["are 404 when unknown", `owner GET ${time}/{unknown}`, 404],
    [
      "are changed",
      `rw PATCH ${time}/{pipeline}`,
      200,
      { body: { name: "Twice" }, is: { ...record, name: "Twice", order: 3 } },
    ],
    ...[[], "x", 5, true, { steps: "x" }, { name: 5 }, { order: "1" }].map(
      (body): ContractRow => [`refuse ${JSON.stringify(body)}`, `rw PATCH ${time}/{pipeline}`, 400, { body }],
    ),
    ...["GET", "PATCH", "DELETE"].map(
      (method): ContractRow => [
        `are 404 for another tenant's ${method}`,
        `stranger ${method} ${time}/{pipeline}`,
        404,
        method === "PATCH" ? { body: { name: "x" } } : {},
      ],
    ),
    ["are not created by a reader", `reader POST ${time}`, 403, { body: { name: "x", steps: [] } }],
    ["are not changed by a reader", `reader PATCH ${time}/{pipeline}`, 403, { body: { name: "x" } }],
    ["are not deleted by a reader", `reader DELETE ${time}/{pipeline}`, 403],
    ...["start", "pause"].flatMap((act): ContractRow[] => [
      [`are not to be ${act}ed by a reader`, `reader POST ${time}/{pipeline}/${act}`, 403],
      [`are 404 for another tenant's ${act}`, `stranger POST ${time}/{pipeline}/${act}`, 404],
    ]),
  ]);
});

describe("the states of a pipeline", () => {
  const sendTemp = (value: number): RowDetails => ({ body: { payload: { temp: value } } });
  const stores = (rule: string, sent: number, expected: number): ContractRow[] => [
    [`a value is sent: ${rule}`, "anonymous POST /api/v1/{deviceToken}/telemetry", 200, sendTemp(sent)],
    [rule, "reader GET /api/devices/{device}/telemetry/latest", 200, { is: { values: { temp: expected } } }],
  ];
  contract(world, [
    ...stores("a draft takes no part", 1, 1),
    ["start sets active", `rw POST ${time}/{pipeline}/start`, 200, { is: { ...record, status: "active" } }],
    ...stores("an active one takes part", 2, 4),
    [
      "it counts what it takes",
      `reader GET ${time}/{pipeline}`,
      200,
      { is: { stats: { in: 1, out: 1, dropped: 0, errors: 0 } } },
    ],
    ["pause sets paused", `rw POST ${time}/{pipeline}/pause`, 200, { is: { ...record, status: "paused" } }],
    ...stores("a paused one takes no part", 3, 3),
    ["start sets active again", `rw POST ${time}/{pipeline}/start`, 200, { is: { status: "active" } }],
    ...stores("a restarted one takes part", 5, 10),
    ["it is deleted", `rw DELETE ${time}/{pipeline}`, 200],
    ["it is gone", `rw GET ${time}/{pipeline}`, 404],
    ...stores("a deleted one takes no part", 6, 6),
  ]);
});

const gone = (key: string) => ({ [key]: absent });
/** Each step type: its fields, what goes in, what comes out. */
const steps: ReadonlyArray<[object, object, Shape]> = [
  [{ type: "rename_keys", mapping: { t: "temp" } }, { t: 1 }, { temp: 1, ...gone("t") }],
  [
    { type: "filter_range", keys: ["t"], min: 0, max: 10 },
    { t: 99, u: 1 },
    { u: 1, ...gone("t") },
  ],
  [
    { type: "pick_keys", keys: ["t"] },
    { t: 1, u: 2 },
    { t: 1, ...gone("u") },
  ],
  [
    { type: "drop_keys", keys: ["t"] },
    { t: 1, u: 2 },
    { u: 2, ...gone("t") },
  ],
  [
    { type: "scale_keys", keys: ["t"], factor: 10 },
    { t: 2, u: 2 },
    { t: 20, u: 2 },
  ],
  [{ type: "derive_key", key: "f", expression: "t * 1.8 + 32" }, { t: 10 }, { t: 10, f: 50 }],
  [
    { type: "flatten_object", keys: ["o"] },
    { o: { a: { b: 1 } } },
    (value) =>
      JSON.stringify(value).includes('a.b":1') || JSON.stringify(value).includes('a_b":1')
        ? undefined
        : JSON.stringify(value),
  ],
  [{ type: "clamp_range", keys: ["t"], min: 0, max: 10 }, { t: 99 }, { t: 10 }],
  [{ type: "set_default", values: { t: 7 } }, { u: 1 }, { t: 7, u: 1 }],
  [{ type: "coerce_types", types: { t: "number" } }, { t: "42" }, { t: 42 }],
  [{ type: "copy_key", from: "t", to: "u" }, { t: 1 }, { t: 1, u: 1 }],
  [{ type: "round_keys", keys: ["t"], decimals: 1 }, { t: 1.26 }, { t: 1.3 }],
  [{ type: "remove_empty" }, { t: "", u: 1 }, { u: 1, ...gone("t") }],
  [{ type: "map_values", key: "t", mapping: { on: 1 } }, { t: "on" }, { t: 1 }],
  [{ type: "string_transform", keys: ["t"], operation: "uppercase" }, { t: "ab" }, { t: "AB" }],
];

describe("the preview", () => {
  const path = `rw POST ${time}/preview`;
  contract(
    world,
    steps.map(
      ([step, telemetry, expected]): ContractRow => [
        `runs ${(step as { type: string }).type}`,
        path,
        200,
        { body: { steps: [step], telemetry }, is: (body) => previewProblem(body, expected) },
      ],
    ),
  );
  contract(world, [
    [
      "change_scope moves keys to attributes",
      path,
      200,
      {
        body: { steps: [{ type: "change_scope", keys: ["t"], scope: "SHARED" }], telemetry: { t: 1, u: 2 } },
        check: ({ body }) => expect(JSON.stringify(body.result)).toMatch(/SHARED|shared/),
      },
    ],
    [
      "conditional_drop drops the message",
      path,
      200,
      {
        body: {
          steps: [
            { type: "conditional_drop", condition: { key: "t", source: "telemetry", op: "GT", value: 1 } },
          ],
          telemetry: { t: 5 },
        },
        check: ({ body }) => expect(JSON.stringify(body.result)).not.toContain('"t":5'),
      },
    ],
    [
      "answers result, trace, webhook previews and warnings",
      path,
      200,
      {
        body: { steps: [scale], telemetry: { temp: 1 } },
        is: {
          result: (value) => (typeof value === "object" ? undefined : "no result"),
          trace: [
            {
              step: (value) => (value === undefined ? "no step" : undefined),
              in: (value) => (value === undefined ? "no in" : undefined),
              out: (value) => (value === undefined ? "no out" : undefined),
            },
          ],
          webhookPreviews: emptyList,
          webhookWarnings: emptyList,
          warnings: list,
        },
      },
    ],
    [
      "shows each webhook and sends none",
      path,
      200,
      {
        body: () => ({
          steps: [{ type: "webhook_forward", url: receiver.url, method: "POST", headers: { "x-a": "b" } }],
          telemetry: { temp: 1 },
        }),
        is: {
          webhookPreviews: [
            {
              url: text,
              method: "POST",
              headers: (value) => (typeof value === "object" ? undefined : "no headers"),
              body: (value) => (value === undefined ? "no body" : undefined),
              note: text,
            },
          ],
          webhookWarnings: list,
        },
        check: () => expect(receiver.received).toBeEmpty(),
      },
    ],
    ["needs steps", path, 400, { body: { telemetry: {} } }],
    ["needs telemetry", path, 400, { body: { steps: [] } }],
    [
      "refuses an unknown step without an echo of its name in length",
      path,
      400,
      {
        body: { steps: [{ type: "z".repeat(5000) }], telemetry: {} },
        check: ({ text: body }) => expect(body.length).toBeLessThan(1000),
      },
    ],
  ]);
});

function previewProblem(body: unknown, expected: Shape): string | undefined {
  const { result } = body as { result: Record<string, unknown> };
  return problemOf(result.telemetry ?? result, expected);
}

describe("webhook_forward", () => {
  const start = async (step: object) => {
    const created = await world.need("rw", `POST ${time}`, {
      name: crypto.randomUUID(),
      scope: { deviceIds: [world.ids.device] },
      steps: [{ type: "webhook_forward", url: receiver.url, ...step }],
    });
    await world.need("rw", `POST ${time}/${created.pipelineId}/start`);
    return async () => void (await world.need("rw", `DELETE ${time}/${created.pipelineId}`));
  };
  const forward = async (step: object, value: number) => {
    const stop = await start(step);
    await world.need("anonymous", "POST /api/v1/{deviceToken}/telemetry", { payload: { forwarded: value } });
    const find = () => receiver.received.find(({ body }) => body?.telemetry?.forwarded === value);
    await until(() => find() !== undefined, "the webhook");
    await stop();
    return find();
  };

  test("posts ts, telemetry and the context", async () => {
    const received = await forward({}, 1);
    expect(received?.method).toBe("POST");
    const problem = problemOf(received?.body, {
      ts: epochMs,
      deviceId: uuid,
      tenantId: uuid,
      profileId: uuid,
      telemetry: { forwarded: 1 },
    });
    expect(problem).toBeUndefined();
    expect(received?.body.deviceId).toBe(world.ids.device);
  });

  test("leaves the context out when includeContext is false", async () => {
    const received = await forward({ includeContext: false }, 2);
    expect(Object.keys(received?.body).sort()).toEqual(["telemetry", "ts"]);
  });

  test("sends headers and a signature", async () => {
    const received = await forward({ headers: { "x-own": "yes" }, secret: "a shared secret" }, 3);
    expect(received?.headers.get("x-own")).toBe("yes");
    expect([...(received?.headers.keys() ?? [])].some((name) => name.includes("signature"))).toBe(true);
  });
});
