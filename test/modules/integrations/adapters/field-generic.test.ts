import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { notes, RUNS, SENT_AT, take, values } from "./field-support.ts";

describe("generic topics", () => {
  const under = (filter: string, template: string, topic: string, body: unknown) => {
    const levels = template.split("/");
    const topicDevice = topic.split("/")[levels.indexOf("{device}")] as string;
    const mqtt = { brokerUrl: "local:", topicFilter: filter, topicTemplate: template };
    return values("generic", body, { topic, topicDevice, settings: { mqtt } as never });
  };

  test.each([
    ["k/#", "k/{device}/#", "k/press/motor/temperature", "80", { motor_temperature: 80 }],
    ["k/#", "k/{device}/#", "k/press/oil/temperature", "45", { oil_temperature: 45 }],
    ["k/#", "k/{device}/#", "k/press/temperature", "45", { temperature: 45 }],
    [
      "N/#",
      "N/{device}/#",
      "N/e0ff/battery/512/Dc/0/Voltage",
      '{"value":12.8}',
      { battery_512_Dc_0_Voltage: 12.8 },
    ],
    [
      "N/#",
      "N/{device}/#",
      "N/e0ff/battery/512/Dc/0/Voltage",
      '{"value":12.8,"unit":"V"}',
      { battery_512_Dc_0_Voltage: 12.8, battery_512_Dc_0_Voltage_unit: "V" },
    ],
    ["k/+/data/+", "k/{device}/data/+", "k/press/data/t", "1", { t: 1 }],
    ["k/+/+/value", "k/{device}/+/value", "k/press/t/value", "1", { t_value: 1 }],
    ["k/+/up", "k/{device}/up", "k/press/up", "1", { up: 1 }],
    ["k/+/up", "k/{device}/up", "k/press/up", '{"value":1}', { value: 1 }],
    ["k/+", "k/{device}", "k/press", "1", { value: 1 }],
    ["+/+", "+/{device}", "humidity/kitchen", "40", { humidity: 40 }],
    ["k/#", "k/{device}/#", "k/press/motor", '{"a":1}', { a: 1 }],
  ])("%s with %s: %s %s", (filter, template, topic, body, telemetry) => {
    expect(under(filter, template, topic, body)).toEqual(telemetry);
  });

  test("topics of one device that differ never become one key", () => {
    const level = fc.constantFrom("a", "b", "c", "motor", "oil");
    const levels = fc.array(level, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(levels, levels, fc.constantFrom("21", '{"value":21}'), (first, second, body) => {
        fc.pre(first.join("/") !== second.join("/"));
        const keyOf = (path: string[]) =>
          Object.keys(under("k/#", "k/{device}/#", `k/d/${path.join("/")}`, body))[0];
        expect(keyOf(first)).not.toBe(keyOf(second));
      }),
      RUNS,
    );
  });

  test.each(["nan", "NaN", "-nan", "inf", "null", "N/A"])("%s is no value", (body) => {
    expect(take("generic", body, { topic: "k/room/t", topicDevice: "room" }).messages).toEqual([]);
  });
});

describe("webhooks of the type HTTP", () => {
  test("one more field does not change the others", () => {
    const body = { externalDeviceId: "p1", telemetry: { t: 21.5, h: 40 } };
    expect(values("generic", body)).toEqual({ t: 21.5, h: 40 });
    expect(values("generic", { ...body, rssi: -70 })).toEqual({ rssi: -70, t: 21.5, h: 40 });
    expect(values("generic", { externalDeviceId: "p1", payload: { t: 1 }, rssi: -70 })).toEqual({
      rssi: -70,
      t: 1,
    });
    expect(notes("generic", { telemetry: { t: 1 }, t: 2 })).toContain('"t"');
    const list = take("generic", {
      externalDeviceId: "p1",
      values: [
        { ts: SENT_AT, t: 1 },
        { ts: SENT_AT + 1, t: 2 },
      ],
      rssi: -70,
    });
    expect(list.messages.map(({ telemetry }) => telemetry)).toEqual([{ t: 1 }, { t: 2 }, { rssi: -70 }]);
  });

  test("whatever the field is called", () => {
    const name = fc
      .string({ minLength: 1, maxLength: 6 })
      .filter(
        (text) =>
          !/^(?:__proto__|ts|t|h|attributes|payload|telemetry|values|tenantId|device.*|external.*|child.*)$/.test(
            text,
          ),
      );
    fc.assert(
      fc.property(
        name,
        fc.oneof(fc.integer(), fc.string(), fc.boolean()),
        fc.constantFrom("payload", "telemetry", "values"),
        (key, value, container) => {
          const telemetry = values("generic", {
            externalDeviceId: "p1",
            [container]: { t: 21.5, h: 40 },
            [key]: value,
          });
          expect(telemetry).toEqual({ t: 21.5, h: 40, [key]: value });
        },
      ),
      RUNS,
    );
  });

  test("integers keep their digits, and repeated names are noted", () => {
    expect(values("generic", '{"deviceToken":"t","n":9007199254740993}')).toEqual({ n: "9007199254740993" });
    expect(notes("generic", '{"deviceToken":"t","n":1,"n":2}')).toContain('"n"');
  });
});
