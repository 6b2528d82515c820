import { expect, test } from "bun:test";
import { AnnouncedDevices } from "../../../../src/modules/integrations/adapters/home-assistant/announced-devices.ts";
import { HomeAssistantAdapter } from "../../../../src/modules/integrations/adapters/home-assistant/home-assistant.ts";
import { adapter, expectNeverToBreak, inbound, only, outcomeOf, refusal } from "./adapter-support.ts";

const dev = { identifiers: ["dev7"], name: "Device 7", manufacturer: "Acme", model: "M1" };

function home() {
  const devices = new AnnouncedDevices();
  const reader = new HomeAssistantAdapter({ mqtt: { brokerUrl: "local:", topicFilter: "ha/#" } }, devices);
  return {
    devices,
    take: (topic: string, body: unknown) => reader.normalize(inbound(body, { topic })),
    announce: (component: string, config: object, object = "x") =>
      reader.normalize(
        inbound({ device: dev, ...config }, { topic: `ha/${component}/dev7/${object}/config` }),
      ),
  };
}

/** A component, a message of its state, the values that come of it, and the metadata of its keys. */
const classes: [
  component: string,
  config: object,
  message: [topic: string, body: unknown],
  values: object,
  metadata: object,
][] = [
  [
    "sensor",
    {
      stat_t: "s",
      dev_cla: "temperature",
      unit_of_meas: "°C",
      stat_cla: "measurement",
      val_tpl: "{{ value_json.t }}",
    },
    ["s", { t: 20.5 }],
    { x: 20.5 },
    { key: "x", unit: "°C", kind: "gauge" },
  ],
  [
    "sensor",
    { stat_t: "s", dev_cla: "energy", unit_of_meas: "kWh", stat_cla: "total_increasing" },
    ["s", "12.5"],
    { x: 12.5 },
    { key: "x", unit: "kWh", kind: "counter" },
  ],
  [
    "sensor",
    { stat_t: "s", dev_cla: "enum", options: ["idle", "busy"] },
    ["s", "busy"],
    { x: "busy" },
    {
      kind: "state",
      states: [
        { value: "idle", name: "idle" },
        { value: "busy", name: "busy" },
      ],
    },
  ],
  [
    "binary_sensor",
    { stat_t: "s", dev_cla: "door", pl_on: true, pl_off: false, val_tpl: "{{ value_json.contact }}" },
    ["s", { contact: false }],
    { x: false },
    { kind: "state" },
  ],
  [
    "switch",
    { "~": "base", stat_t: "~/s", cmd_t: "~/set" },
    ["base/s", "ON"],
    { x: true },
    { kind: "state" },
  ],
  [
    "number",
    { stat_t: "s", cmd_t: "s/set", min: 5, max: 30, unit_of_meas: "bar" },
    ["s", "7"],
    { x: 7 },
    { unit: "bar", kind: "gauge" },
  ],
  [
    "select",
    { stat_t: "s", cmd_t: "s/set", ops: ["eco", "boost"] },
    ["s", "eco"],
    { x: "eco" },
    {
      states: [
        { value: "eco", name: "eco" },
        { value: "boost", name: "boost" },
      ],
    },
  ],
  ["text", { stat_t: "s", cmd_t: "s/set" }, ["s", "hello"], { x: "hello" }, { kind: "text" }],
  [
    "light",
    { schema: "json", stat_t: "s", cmd_t: "s/set", brightness: true },
    ["s", { state: "ON", brightness: 120 }],
    { x: true, x_brightness: 120 },
    { kind: "state" },
  ],
  [
    "cover",
    { stat_t: "s", cmd_t: "s/set", stat_clsd: "shut" },
    ["s", "shut"],
    { x: "closed" },
    { kind: "state" },
  ],
  [
    "climate",
    { curr_temp_t: "s", curr_temp_tpl: "{{ value_json.now }}", temp_cmd_t: "s/set" },
    ["s", { now: 19 }],
    { x_current_temperature: 19 },
    { key: "x_current_temperature", unit: "°C" },
  ],
  ["fan", { stat_t: "s", cmd_t: "s/set", pct_stat_t: "p" }, ["s", "OFF"], { x: false }, { kind: "state" }],
];

for (const [component, config, [topic, body], values, metadata] of classes)
  test(`reads a ${component} with ${Object.keys(config).join(", ")}`, () => {
    const { announce, take } = home();
    const announced = only(announce(component, config));
    expect(announced.device).toMatchObject({ externalId: "dev7", name: "Device 7", type: "Acme M1" });
    expect(announced.keys?.[0]?.metadata).toMatchObject(metadata);
    expect({ ...only(take(topic, body)).telemetry }).toEqual({ ...values });
  });

test("writes the payloads of commands", () => {
  const { announce, devices } = home();
  announce("switch", { stat_t: "a", cmd_t: "a/set", pl_on: "1", pl_off: "0" }, "relay");
  announce("number", { cmd_t: "n/set", min: 5, max: 30, cmd_tpl: '{"level": {{ value }}}' }, "level");
  announce("button", { cmd_t: "b/set", pl_prs: "RESTART" }, "restart");
  announce("light", { schema: "json", stat_t: "l", cmd_t: "l/set", brightness: true }, "lamp");
  announce("cover", { stat_t: "c", cmd_t: "c/set" }, "blind");
  const write = (key: string, value: never) => devices.command("dev7", key)?.write(value);
  expect([
    write("relay", true as never),
    write("level", 12 as never),
    write("restart", null as never),
    write("lamp", false as never),
    write("lamp_brightness", 99 as never),
    write("blind", "close" as never),
  ]).toEqual(["1", '{"level": 12}', "RESTART", '{"state":"OFF"}', '{"state":"ON","brightness":99}', "CLOSE"]);
  expect(refusal(() => write("level", 31 as never))).toBe("command.value_not_accepted");
  expect(refusal(() => write("blind", "sideways" as never))).toBe("command.value_not_accepted");
  expect(devices.command("dev7", "dance")).toBeUndefined();
});

test("availability becomes the key online, by the announced mode", () => {
  const { announce, take } = home();
  const avty = [{ t: "bridge", val_tpl: "{{ value_json.state }}" }, { t: "dev7/up" }];
  announce("sensor", { stat_t: "s", avty, avty_mode: "all" });
  expect(only(take("bridge", { state: "online" })).telemetry.online).toBe(false);
  expect(only(take("dev7/up", "online")).telemetry.online).toBe(true);
  expect(only(take("bridge", { state: "offline" })).telemetry.online).toBe(false);
  expect(outcomeOf(take("bridge", { state: "perhaps" }))).toEqual([0, "ignored"]);
});

test("components with the same id have the same keys in whatever order they come", () => {
  const configs = [
    ["sensor", { stat_t: "s" }],
    ["number", { stat_t: "n", cmd_t: "n/set" }],
  ] as const;
  for (const order of [configs, configs.toReversed()]) {
    const { announce, take } = home();
    for (const [component, config] of order) announce(component, config);
    expect({ ...only(take("n", "1")).telemetry, ...only(take("s", "2")).telemetry }).toEqual({
      x: 1,
      x_sensor: 2,
    });
  }
});

test("hostile announcements are refused and stay bounded", () => {
  const { announce, devices, take } = home();
  const topic = "ha/sensor/dev7/x/config";
  expect(refusal(() => take(topic, "x".repeat(300 * 1024)))).toBe("integration.announcement_large");
  expect(refusal(() => take(topic, `${"[".repeat(5_000)}`))).toBe("integration.announcement_deep");
  expect(refusal(() => take(topic, "no json"))).toBe("integration.body_not_object");
  expect(refusal(() => announce("sensor", { stat_t: "a/#/b" }))).toBe("integration.announcement_topic");
  expect(refusal(() => announce("switch", { cmd_t: "$SYS/x" }))).toBe("integration.announcement_topic");
  expect(refusal(() => announce("switch", { cmd_t: "lineside/devices/x" }))).toBe(
    "integration.announcement_topic",
  );
  // The base is not expanded itself.
  announce("sensor", { "~": "~/~", stat_t: "~/s" });
  expect([...devices.topics.keys()]).toEqual(["~/~/s"]);
  let refused = 0;
  for (let n = 0; n < 10_000; n++)
    try {
      take(`ha/sensor/n${n}/v/config`, { stat_t: `t/${n}`, dev: { ids: `d${n % 100}` } });
    } catch {
      refused++;
    }
  expect(refused).toBeGreaterThan(7_900);
  expect([...devices.topics.keys()].length).toBeLessThanOrEqual(2_000);
});

test("ignores components without values and what the program announces itself", () => {
  const { announce, take } = home();
  expect(outcomeOf(announce("camera", { t: "c" }))).toEqual([0, "ignored"]);
  expect(outcomeOf(take("ha/device/lineside_1/config", {}))).toEqual([0, "ignored"]);
  expect(outcomeOf(take("ha/status", "online"))).toEqual([0, "ignored"]);
  expect(outcomeOf(take("ha/sensor/dev7/x/config", ""))).toEqual([0, "ignored"]);
});

test("never breaks", () => {
  const bodies = classes.map(([, config]) => ({ device: dev, ...config }));
  const topics = [...new Set(classes.map(([component]) => component)), "device"].map((component) => ({
    topic: `homeassistant/${component}/a/b/config`,
  }));
  expectNeverToBreak(() => adapter("home-assistant"), bodies, topics);
  const components = Object.fromEntries(
    classes.map(([platform, config], n) => [`c${n}`, { platform, ...config }]),
  );
  expectNeverToBreak(() => adapter("home-assistant"), [{ device: dev, components }], topics.slice(-1));
});

const components = (count: number, template: string, topic: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `c${index}`,
      { p: "sensor", unique_id: `u${index}`, stat_t: topic, val_tpl: template },
    ]),
  );

test("evaluates a template once for a message, however many components have it", () => {
  const { devices, take } = home();
  const heavy = "{{ value|replace('a','b')|replace('b','a')|upper|lower|upper }}";
  take("ha/device/dev7/config", { dev, o: { name: "x" }, cmps: components(400, heavy, "st") });
  const [reading] = devices.read("st", "ab".repeat(4_000));
  expect(Object.keys(reading?.telemetry ?? {})).toHaveLength(400);
});

test("refuses a message whose different templates are more work than a message may be", () => {
  const { take } = home();
  const cmps = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `c${index}`,
      {
        p: "sensor",
        unique_id: `u${index}`,
        stat_t: "st",
        val_tpl: `{{ value|lower|replace('a','${index}') }}`,
      },
    ]),
  );
  take("ha/device/dev7/config", { dev, o: { name: "x" }, cmps });
  expect(take("st", "cd".repeat(100)).messages).toHaveLength(1);
  expect(refusal(() => take("st", "ab".repeat(4_000)))).toBe("message.too_much_work");
  // Each message has a budget of its own.
  expect(take("st", "cd".repeat(100)).messages).toHaveLength(1);
});

test("lets a topic have at most 500 components, of all devices together", () => {
  const { take } = home();
  const announce = (id: string, count: number) =>
    take(`ha/device/${id}/config`, {
      dev: { ids: [id] },
      o: { name: "x" },
      cmps: components(count, "{{ value }}", "shared"),
    });
  announce("a", 300);
  expect(refusal(() => announce("b", 201))).toBe("integration.topic_full");
  announce("b", 200);
  announce("a", 300); // the same again is not more
});
