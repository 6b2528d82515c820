import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { inEnglish } from "../../../../src/lib/domain-error.ts";
import type {
  InboundMessage,
  IntegrationSettings,
} from "../../../../src/modules/integrations/integrations.types.ts";
import { adapter, inbound, only, RECEIVED_AT, refusal } from "./adapter-support.ts";

/** Messages that devices and programs of the field send, with what has to become of them. */

const RUNS = { numRuns: 1_000 };
const SENT_AT = Date.parse("2026-02-20T10:00:00Z");
type Format = Parameters<typeof adapter>[0];

const take = (
  format: Format,
  body: unknown,
  rest: Partial<InboundMessage> & { settings?: IntegrationSettings } = {},
) => {
  const { settings = {}, ...more } = rest;
  return adapter(format, settings).normalize(inbound(body, more));
};
const values = (...parameters: Parameters<typeof take>) => ({ ...only(take(...parameters)).telemetry });
const notes = (...parameters: Parameters<typeof take>) =>
  (take(...parameters).notes ?? []).map(inEnglish).join("; ");

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

describe("frames of other network servers", () => {
  const sources: ReadonlyArray<
    readonly [
      name: string,
      body: unknown,
      settings: IntegrationSettings,
      frame: string,
      port: number,
      devEui: string,
    ]
  > = [
    [
      "ThingPark",
      {
        DevEUI_uplink: {
          Time: "2026-02-20T11:00:00.000+01:00",
          DevEUI: "20635F0000000001",
          FPort: "1",
          payload_hex: "9e1c",
        },
      },
      {
        frameEncoding: "hex",
        paths: {
          deviceId: "DevEUI_uplink.DevEUI",
          ts: "DevEUI_uplink.Time",
          frame: "DevEUI_uplink.payload_hex",
          fPort: "DevEUI_uplink.FPort",
        },
      },
      "9e1c",
      1,
      "20635f0000000001",
    ],
    [
      "Netmore, in a list",
      [{ devEui: "20635f0000000001", timestamp: "2026-02-20T10:00:00Z", payload: "9E1C", fPort: "1" }],
      {
        frameEncoding: "hex",
        paths: { deviceId: "devEui", ts: "timestamp", frame: "payload", fPort: "fPort" },
      },
      "9e1c",
      1,
      "20635f0000000001",
    ],
    [
      "AWS",
      {
        PayloadData: "nhw=",
        WirelessMetadata: {
          LoRaWAN: { DevEui: "20635f0000000001", FPort: 2, Timestamp: "2026-02-20T10:00:00Z" },
        },
      },
      {
        paths: {
          deviceId: "WirelessMetadata.LoRaWAN.DevEui",
          ts: "WirelessMetadata.LoRaWAN.Timestamp",
          frame: "PayloadData",
          fPort: "WirelessMetadata.LoRaWAN.FPort",
        },
      },
      "9e1c",
      2,
      "20635f0000000001",
    ],
  ];
  test.each(sources)("%s reaches the codec", (_, body, settings, hex, fPort, devEui) => {
    const message = only(take("generic", body, { settings }));
    expect(message).toMatchObject({ kind: "uplink", device: { devEui }, ts: SENT_AT, telemetry: {} });
    expect([Buffer.from(message.frame!.bytes).toString("hex"), message.frame!.fPort]).toEqual([hex, fPort]);
  });

  test("what has no frame is ignored, and a frame in another encoding is refused or noted", () => {
    const settings = { paths: { deviceId: "d", frame: "f" } };
    expect(take("generic", { d: "x", join: true }, { settings }).ignored?.code).toBe("ignored.no_frame");
    expect(refusal(() => take("generic", { d: "x", f: "0367D20004685A" }, { settings }))).toBe(
      "integration.frame_looks_hex",
    );
    expect(notes("generic", { d: "x", f: "0367d20004685a01" }, { settings })).toContain("hexadecimal");
    expect(
      refusal(() =>
        take("generic", { d: "x", f: "nhw=" }, { settings: { ...settings, frameEncoding: "hex" } }),
      ),
    ).toBe("integration.frame_not_hex");
  });

  test("bytes are those that were sent, or there is a note", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(bytes, fc.boolean(), (sent, isUpper) => {
        const frame = Buffer.from(sent);
        const settings = { paths: { deviceId: "d", frame: "f" } };
        const hex = isUpper ? frame.toString("hex").toUpperCase() : frame.toString("hex");
        const asHex = only(
          take("generic", { d: "x", f: hex }, { settings: { ...settings, frameEncoding: "hex" } }),
        );
        expect([...asHex.frame!.bytes]).toEqual([...sent]);
        const asBase64 = only(take("generic", { d: "x", f: frame.toString("base64") }, { settings }));
        expect([...asBase64.frame!.bytes]).toEqual([...sent]);
        if (hex.length < 12) return;
        let isTold = false;
        try {
          isTold = (take("generic", { d: "x", f: hex }, { settings }).notes ?? []).length > 0;
        } catch {
          isTold = true;
        }
        expect(isTold).toBe(true);
      }),
      RUNS,
    );
  });
});

describe("ChirpStack", () => {
  const up = {
    deduplicationId: "w1",
    time: "2026-02-20T10:00:00Z",
    deviceInfo: { deviceName: "w1", devEui: "00000000000000a1" },
    fCnt: 4,
    fPort: 1,
    data: "Fg==",
    object: { temperature: 21.5 },
  };
  const empties = {
    level: null,
    code: null,
    queueItemId: "",
    acknowledged: false,
    gatewayId: null,
    location: null,
  };

  test("an empty field is no field", () => {
    expect(values("chirpstack", { ...up, ...empties })).toEqual({ temperature: 21.5 });
    const bare = {
      deviceInfo: up.deviceInfo,
      object: { t: 1 },
      fPort: null,
      fCnt: null,
      data: null,
      rxInfo: null,
    };
    expect(only(take("chirpstack", bare, { event: "up" })).radio).toEqual({});
    const nack = {
      deduplicationId: "n",
      deviceInfo: up.deviceInfo,
      queueItemId: "q1",
      acknowledged: false,
      object: null,
      data: "",
      fPort: 0,
    };
    expect(only(take("chirpstack", nack)).downlink).toMatchObject({ state: "FAILED", correlationId: "q1" });
  });

  test("whatever empty fields a relay adds", () => {
    const names = [
      "acknowledged",
      "queueItemId",
      "margin",
      "batteryLevel",
      "externalPowerSource",
      "location",
      "level",
      "code",
      "description",
      "devAddr",
      "integrationName",
      "downlinkId",
      "rxInfo",
      "txInfo",
    ];
    const empty = fc.constantFrom<unknown>(null, "", 0, false, [], {});
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), empty), fc.boolean(), (added, isFirst) => {
        const body = isFirst ? { ...added, ...up } : { ...up, ...added };
        expect(values("chirpstack", body)).toEqual({ temperature: 21.5 });
      }),
      RUNS,
    );
  });

  const milesight = {
    applicationID: "1",
    deviceName: "m",
    devEUI: "24e124136b5022a2",
    data: "A2fqAARoTwUAAA==",
    fCnt: 1,
    fPort: 85,
    time: "2026-02-20T10:00:00Z",
    rxInfo: [{ mac: "24e124fffef54092", loRaSNR: 13.8, rssi: -51 }],
    txInfo: { frequency: 868_100_000, dataRate: { modulation: "LORA", spreadFactor: 7 } },
  };
  test("gateways with a server of their own, in both formats", () => {
    expect(only(take("chirpstack", milesight))).toMatchObject({
      ts: SENT_AT,
      radio: { gateway: "24e124fffef54092", spreadingFactor: 7, snr: 13.8 },
    });
    const decoded = { devEUI: "24e124136b5022a1", deviceName: "EM300", temperature: 23.4, battery: 100 };
    for (const event of [undefined, "up"])
      expect(values("chirpstack", decoded, event === undefined ? {} : { event })).toEqual({
        temperature: 23.4,
        battery: 100,
      });
    const rak = {
      ...milesight,
      data: "0367d20004685a01",
      data_encode: "hexstring",
      time: undefined,
      timestamp: SENT_AT / 1000,
    };
    expect(Buffer.from(only(take("chirpstack", rak)).frame!.bytes).toString("hex")).toBe("0367d20004685a01");
    expect(only(take("chirpstack", rak)).ts).toBe(SENT_AT);
  });

  test("frames that look hexadecimal are told, or read by the setting", () => {
    expect(refusal(() => take("chirpstack", { ...up, data: "0367D20004685A" }))).toBe(
      "integration.frame_looks_hex",
    );
    expect(notes("chirpstack", { ...up, data: "0367d20004685a01" })).toContain("frameEncoding");
    const read = only(
      take("chirpstack", { ...up, data: "0367D20004685A" }, { settings: { frameEncoding: "hex" } }),
    );
    expect(Buffer.from(read.frame!.bytes).toString("hex")).toBe("0367d20004685a");
  });

  test("what cannot be used says so, with the topic and the filter", () => {
    expect(notes("chirpstack", { deviceInfo: up.deviceInfo }, { event: "up" })).toContain("data, object");
    const topic = "application/gw/gateway/0016c001/event/stats";
    expect(inEnglish(take("chirpstack", "\u0001", { topic }).ignored!)).toContain(
      "application/+/device/+/event/+",
    );
    expect(refusal(() => take("chirpstack", {}, { topic: "other/topic" }))).toBe(
      "integration.event_unknown_topic",
    );
    expect(refusal(() => take("chirpstack", [up]))).toBe("integration.body_list");
  });
});

test("The Things Stack tells the warnings of its codec", () => {
  const uplink_message = {
    f_port: 1,
    frm_payload: "Fg==",
    decoded_payload: { t: 1 },
    decoded_payload_warnings: ["battery low"],
  };
  const body = { end_device_ids: { device_id: "d", dev_eui: "00000000000000a1" }, uplink_message };
  expect(notes("the-things-stack", body)).toContain("battery low");
});

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
