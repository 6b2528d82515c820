import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { inEnglish } from "../../../../src/lib/core/domain-error.ts";
import { adapter, inbound, RECEIVED_AT, refusal } from "./adapter-support.ts";
import { RUNS, take, values } from "./field-support.ts";

describe("Tasmota and Zigbee2MQTT", () => {
  test.each([
    [
      "a probe without a value",
      "tele/plug/SENSOR",
      '{"SI7021-00":{"Temperature":17.1,"Humidity":70.0},"SI7021-02":{"Temperature":nan,"Humidity":nan},"TempUnit":"C"}',
      { "SI7021-00_Temperature": 17.1, "SI7021-00_Humidity": 70 },
    ],
    [
      "phases",
      "tele/meter/SENSOR",
      '{"ENERGY":{"Total":12.5,"Power":[101,202,303],"Voltage":[229,null,230]}}',
      {
        ENERGY_Total: 12.5,
        ENERGY_Power_1: 101,
        ENERGY_Power_2: 202,
        ENERGY_Power_3: 303,
        ENERGY_Voltage_1: 229,
        ENERGY_Voltage_3: 230,
      },
    ],
    [
      "a heat pump",
      "tele/ac/SENSOR",
      '{"MiElHVAC":{"Power":"on","Mode":"heat","SetTemperature":21}}',
      { MiElHVAC_Power: "on", MiElHVAC_Mode: "heat", MiElHVAC_SetTemperature: 21 },
    ],
    [
      "an infrared receiver",
      "tele/ir/RESULT",
      '{"IrReceived":{"Protocol":"COOLIX","IRHVAC":{"Vendor":"COOLIX","Mode":"Cool","Temp":22}}}',
      {
        IrReceived_Protocol: "COOLIX",
        IrReceived_IRHVAC_Vendor: "COOLIX",
        IrReceived_IRHVAC_Mode: "Cool",
        IrReceived_IRHVAC_Temp: 22,
      },
    ],
    [
      "a fingerprint, and the address of a sensor",
      "tele/a/SENSOR",
      '{"FPrint":{"Id":3},"DS18B20":{"Id":"0114","Temperature":20}}',
      { FPrint_Id: 3, DS18B20_Temperature: 20 },
    ],
    ["two fields of one key", "tele/a/SENSOR", '{"a":{"b":1},"a_b":2}', { a_b: 1, a_b_2: 2 }],
  ])("%s", (_, topic, body, telemetry) => expect(values("tasmota", body, { topic })).toEqual(telemetry));

  test("a probe without a value never costs another one its value", () => {
    const probe = fc.tuple(
      fc.constantFrom("A", "B", "C", "D"),
      fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constantFrom("nan", "NaN", "-nan", "inf", "null")),
    );
    fc.assert(
      fc.property(fc.uniqueArray(probe, { minLength: 1, selector: ([name]) => name }), (probes) => {
        const body = `{${probes.map(([name, value]) => `"${name}":{"T":${value}}`).join(",")}}`;
        const right = Object.fromEntries(
          probes.flatMap(([name, value]) => (typeof value === "number" ? [[`${name}_T`, value]] : [])),
        );
        const taken = take("tasmota", body, { topic: "tele/a/SENSOR" }).messages;
        expect({ ...taken[0]?.telemetry }).toEqual(right);
      }),
      RUNS,
    );
  });

  test("JSON that is cut is an error with its name", () => {
    expect(
      refusal(() => take("zigbee2mqtt", '{"temperature":21,"humi', { topic: "zigbee2mqtt/kitchen" })),
    ).toBe("integration.body_malformed");
    expect(refusal(() => take("tasmota", '{"a":', { topic: "tele/a/SENSOR" }))).toBe(
      "integration.body_malformed",
    );
  });
});

describe("Home Assistant discovery", () => {
  const settings = { mqtt: { brokerUrl: "local:", topicFilter: "ha/#" } } as never;
  const announced = (component: string, config: object) => {
    const own = adapter("home-assistant", settings);
    own.normalize(
      inbound(
        { stat_t: "s", uniq_id: "x", name: "v", dev: { ids: ["X"], name: "X" }, ...config },
        { topic: `ha/${component}/x/config` },
      ),
    );
    return (state: string, topic = "s") => {
      const { messages } = own.normalize(inbound(state, { topic }));
      return messages.length === 0 ? undefined : Object.values(messages[0]!.telemetry)[0];
    };
  };

  test("a state topic may be a filter", () => {
    const say = announced("sensor", {
      stat_t: "+/+/RTL_433toMQTT/X/0/102",
      val_tpl: "{{ value_json.temperature_C | is_defined }}",
      unit_of_meas: "°C",
    });
    expect(say('{"temperature_C":21.4}', "home/OMG1/RTL_433toMQTT/X/0/102")).toBe(21.4);
  });

  test.each([
    ["binary_sensor", "{% if value_json.x > 3 %} ON {% else %} OFF {% endif %}", '{"x":5}', true],
    ["sensor", "{%- if value == '1' -%} open {%- else -%} closed {%- endif -%}", "1", "open"],
    ["sensor", " {{ value_json.a }} ", '{"a":" a "}', "a"],
    ["sensor", "{{ value_json.a }} {{ value_json.b }}", '{"a":"x","b":"y"}', "x y"],
    ["sensor", "{{ value_json.a -}} x", '{"a":"y"}', "yx"],
  ])("a %s with %s has no space at its ends", (component, val_tpl, state, value) => {
    expect(announced(component, { val_tpl })(state)).toBe(value);
  });

  test("whatever space is around the tags and the texts", () => {
    const space = fc.constantFrom("", " ", "\n", "  ");
    const dash = fc.constantFrom("", "-");
    fc.assert(
      fc.property(
        fc.array(space, { minLength: 6, maxLength: 6 }),
        fc.array(dash, { minLength: 6, maxLength: 6 }),
        fc.boolean(),
        ([a, b, c, d, e, f], [g, h, i, j, k, l], isOn) => {
          const val_tpl = `${a}{%${g} if value == '1' ${h}%}${b}ON${c}{%${i} else ${j}%}${d}OFF${e}{%${k} endif ${l}%}${f}`;
          expect(announced("binary_sensor", { val_tpl })(isOn ? "1" : "2")).toBe(isOn);
        },
      ),
      RUNS,
    );
  });

  test.each([
    ["1.10", "1.10"],
    ["00123456789012345678", "00123456789012345678"],
    ["007", "007"],
    ["42", 42],
    ["-3.5", -3.5],
    ["nan", undefined],
  ])("a sensor without a unit says %s: %p", (state, value) => {
    expect(announced("sensor", {})(state)).toBe(value as never);
  });

  test("a sensor without a value does not cost others theirs", () => {
    const own = adapter("home-assistant", settings);
    for (const part of ["temperature", "battery"])
      own.normalize(
        inbound(
          {
            stat_t: "s",
            uniq_id: part,
            name: part,
            val_tpl: `{{ value_json.${part} }}`,
            unit_of_meas: "x",
            dev: { ids: ["X"] },
          },
          { topic: `ha/sensor/${part}/config` },
        ),
      );
    const { messages } = own.normalize(inbound('{"temperature":nan,"battery":61}', { topic: "s" }));
    expect(Object.values(messages[0]!.telemetry)).toEqual([61]);
    expect(refusal(() => own.normalize(inbound('{"temperature":', { topic: "s" })))).toBe(
      "integration.body_malformed",
    );
  });

  test("components whose ids differ only in signs keep keys of their own", () => {
    const own = adapter("home-assistant", settings);
    for (const [index, id] of ["a b", "a_b", "a-b", "a:b", "a;b"].entries())
      own.normalize(
        inbound(
          { stat_t: `s/${index}`, uniq_id: id, obj_id: id, name: id, dev: { ids: ["X"] } },
          { topic: `ha/sensor/x${index}/${encodeURIComponent(id).replaceAll("%", "")}/config` },
        ),
      );
    const keys = [0, 1, 2, 3, 4].flatMap((index) =>
      Object.keys(own.normalize(inbound("1", { topic: `s/${index}` })).messages[0]?.telemetry ?? {}),
    );
    expect(new Set(keys).size).toBe(5);
  });

  test("an announcement in Latin-1 is not UTF-8", () => {
    const body = new Uint8Array(Buffer.from('{"unit_of_meas":"\xb0C"}', "latin1"));
    expect(refusal(() => take("home-assistant", body, { topic: "ha/sensor/x/config", settings }))).toBe(
      "body.not_utf8",
    );
  });
});

describe("Sparkplug B", () => {
  const hex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
  const bornWithoutSeq =
    "08809a98c39f3412120a05626453657118809a98c39f342004580012210a144e6f646520436f6e74726f6c2f5265626972746818809a98c39f34200b700012110a017418809a98c39f342009650000ac41";
  const data = (seq: number) =>
    `08e8a198c39f3412110a017418e8a198c39f342009650000ae4118${seq.toString(16).padStart(2, "0")}`;
  const node = () => {
    const own = adapter("sparkplug");
    return (type: string, bytes: string, receivedAt = RECEIVED_AT) =>
      own.normalize(inbound(hex(bytes), { topic: `spBv1.0/G/${type}/n`, receivedAt }));
  };

  test("an absent sequence number is 0", () => {
    const say = node();
    const asked = (normalized: { replies?: readonly unknown[] }) => normalized.replies?.length ?? 0;
    let requests = asked(say("NBIRTH", bornWithoutSeq));
    for (let seq = 1; seq <= 30; seq++) requests += asked(say("NDATA", data(seq)));
    expect(requests).toBe(0);
    expect(asked(say("NDATA", data(40)))).toBe(1);
    // A birth does not let the next request come sooner, and what is owed is asked for later.
    say("NBIRTH", bornWithoutSeq, RECEIVED_AT + 1_000);
    expect(asked(say("NDATA", data(9), RECEIVED_AT + 2_000))).toBe(0);
    expect(asked(say("NDATA", data(10), RECEIVED_AT + 61_000))).toBe(1);
  });

  test("an alias that nobody has named is a note", () => {
    const say = node();
    say(
      "NBIRTH",
      "08809a98c39f3412120a05626453657118809a98c39f342004580012130a0161100118809a98c39f342009650000803f1800",
    );
    const said = say(
      "NDATA",
      "08819a98c39f34120e100118819a98c39f346500000040120e100218819a98c39f34650000c6421801",
    );
    expect(said.messages[0]?.telemetry).toEqual({ a: 2 });
    expect(said.notes?.map(inEnglish).join()).toContain("aliases: 1");
  });
});

test.each([
  ["tasmota", "tele/plug/SENSOR", '{"ENERGY":{"Power":1,"Power":2}}', { ENERGY_Power: 2 }],
  ["zigbee2mqtt", "zigbee2mqtt/cellar", '{"temperature":20,"temperature":21}', { temperature: 21 }],
  ["shelly", "plus/status/switch:0", '{"id":0,"apower":1,"apower":2}', { switch_0_apower: 2 }],
  ["shelly", "shellies/bulb/light/0/status", '{"ison":true,"power":1,"power":2}', { light_0_power: 2 }],
] as const)(
  "of a name that %s repeats on %s, the last value counts, and the name is noted",
  (format, topic, body, telemetry) => {
    const settings = { mqtt: { brokerUrl: "local:", topicFilter: "zigbee2mqtt/#" } } as never;
    const { messages, notes = [] } = take(format, body, { topic, settings });
    expect(messages.at(-1)?.telemetry).toMatchObject(telemetry);
    expect(notes.map(({ code }) => code)).toEqual(["body.names_repeated"]);
  },
);
