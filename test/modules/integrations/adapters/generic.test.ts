import { describe, expect, test } from "bun:test";
import { encode } from "cbor-x";
import type {
  DeviceReference,
  NormalizedMessage,
  PathTemplates,
} from "../../../../src/modules/integrations/integrations.types.ts";
import {
  adapter,
  expectNeverToBreak,
  inbound,
  only,
  outcomeOf,
  RECEIVED_AT,
  refusal,
} from "./adapter-support.ts";

const take = (body: unknown, paths?: PathTemplates) =>
  adapter("generic", paths && { paths }).normalize(inbound(body)).messages;
const uplink = (
  telemetry: Record<string, unknown>,
  device: DeviceReference = {},
  rest: Partial<NormalizedMessage> = {},
): NormalizedMessage => ({
  kind: "uplink",
  device,
  telemetry,
  ...rest,
});
const ts = RECEIVED_AT - 60_000;

describe("without paths", () => {
  test("an object is telemetry", () => {
    expect(take({ t: 21.5, on: true })).toEqual([uplink({ t: 21.5, on: true })]);
  });
  test("names of who and when are no telemetry", () => {
    const body = { deviceToken: "tok", ts, t: 1 };
    expect(take(body)).toEqual([uplink({ t: 1 }, { deviceToken: "tok" }, { ts })]);
  });
  test("telemetry may be in an object of its own", () => {
    for (const key of ["telemetry", "payload", "values"])
      expect(take({ deviceToken: "tok", ts, [key]: { t: 1 } })).toEqual([
        uplink({ t: 1 }, { deviceToken: "tok" }, { ts }),
      ]);
  });
  test("or in a list of its own, where inner times hold before the outer one", () => {
    const body = {
      externalDeviceId: 17,
      tenantId: "x",
      ts,
      telemetry: [{ ts: ts + 1, values: { t: 1 } }, { t: 2 }],
    };
    const device = { externalId: "17" };
    expect(take(body)).toEqual([uplink({ t: 1 }, device, { ts: ts + 1 }), uplink({ t: 2 }, device, { ts })]);
  });
  test("a gateway speaks for a child", () => {
    const device = { deviceToken: "gw", childId: "pump-1", name: "Pump", type: "pump" };
    const body = {
      deviceToken: "gw",
      childDeviceId: "pump-1",
      deviceName: "Pump",
      deviceType: "pump",
      telemetry: { p: 3 },
    };
    expect(take(body)).toEqual([uplink({ p: 3 }, device)]);
  });
  test("a list of messages has many devices", () => {
    expect(
      take([
        { externalDeviceId: "a", t: 1 },
        { externalDeviceId: "b", telemetry: { t: 2 } },
      ]),
    ).toEqual([uplink({ t: 1 }, { externalId: "a" }), uplink({ t: 2 }, { externalId: "b" })]);
  });
  test("a key that only happens to be called values is a value", () => {
    expect(take({ values: [1, 2], t: 1 })).toEqual([uplink({ values: [1, 2], t: 1 })]);
    expect(take({ telemetry: "on" })).toEqual([uplink({ telemetry: "on" })]);
  });
  test("attributes are kept as such, beside telemetry or alone", () => {
    const attributes = { serial: "7", limits: { high: 9 } };
    expect(take({ t: 1, attributes })).toEqual([uplink({ t: 1 }, {}, { attributes })]);
    expect(take({ attributes })).toEqual([{ kind: "attributes", device: {}, telemetry: {}, attributes }]);
    expect(take({ attributes: 3 })).toEqual([uplink({ attributes: 3 })]);
  });
  test("CBOR says the same as JSON", () => {
    const body = { deviceToken: "tok", ts, values: { t: 21.5 } };
    expect(take(new Uint8Array(encode(body)))).toEqual(take(body));
  });
  test("times may be seconds or text, without a zone UTC", () => {
    for (const value of [
      ts / 1000,
      String(ts),
      new Date(ts).toISOString(),
      "2026-03-01T11:59:00",
      "2026-03-01 11:59:00+00:00",
    ])
      expect(take({ ts: value, values: { t: 1 } })[0]?.ts).toBe(ts);
  });
  test("a key called __proto__ is only a key", () => {
    const [message] = take('{"deviceToken":"t","__proto__":{"a":1},"x":2}');
    expect(Object.keys(message!.telemetry)).toEqual(["__proto__", "x"]);
    expect("a" in message!.telemetry).toBe(false);
  });
  test("nothing to say is ignored", () => {
    for (const body of [{}, [], { deviceToken: "tok" }, { ts, values: {} }])
      expect(outcomeOf(adapter("generic").normalize(inbound(body)))).toEqual([0, "ignored"]);
  });
  test("what is wrong is refused whole", () => {
    expect(refusal(() => take("{"))).toBe("body.malformed");
    expect(refusal(() => take(new Uint8Array()))).toBe("body.empty");
    expect(refusal(() => take("3"))).toBe("integration.body_invalid");
    expect(refusal(() => take([{ t: 1 }, 3]))).toBe("integration.body_invalid");
    expect(refusal(() => take({ deviceToken: "", t: 1 }))).toBe("integration.body_invalid");
    expect(refusal(() => take({ deviceToken: {}, t: 1 }))).toBe("integration.body_invalid");
    expect(refusal(() => take({ ts: "soon", values: { t: 1 } }))).toBe("telemetry.ts_invalid");
    expect(refusal(() => take({ ts: ts + 11 * 366 * 86_400_000, values: { t: 1 } }))).toBe(
      "telemetry.ts_future",
    );
    expect(
      refusal(() => take({ payload: { payload: { payload: { payload: { payload: { t: 1 } } } } } })),
    ).toBe("integration.body_invalid");
  });
});

describe("with paths", () => {
  test("device, time and telemetry come from where they point", () => {
    const body = {
      meta: { id: "s-1", label: "Roof", kind: "vane" },
      when: ts,
      data: { readings: [{ t: 1 }] },
    };
    const paths = {
      deviceId: "meta.id",
      deviceName: "meta.label",
      deviceType: "meta.kind",
      ts: "when",
      telemetry: "data.readings[0]",
    };
    expect(take(body, paths)).toEqual([
      uplink({ t: 1 }, { externalId: "s-1", name: "Roof", type: "vane" }, { ts }),
    ]);
  });
  test("a list of messages lies where items points, and may ask the whole body", () => {
    const body = { gateway: "g", list: [{ v: { t: 1 } }, { v: { t: 2 } }] };
    const paths = { items: "list", deviceId: "$.gateway", telemetry: "v" };
    expect(take(body, paths)).toEqual([
      uplink({ t: 1 }, { externalId: "g" }),
      uplink({ t: 2 }, { externalId: "g" }),
    ]);
  });
  test("without one for telemetry it is the rest of the body", () => {
    expect(take({ id: 5, at: ts, t: 1 }, { deviceId: "id", ts: "at" })).toEqual([
      uplink({ t: 1 }, { externalId: "5" }, { ts }),
    ]);
  });
  test("one that points at a bare value makes it a value of that name", () => {
    expect(take({ d: { value: 7 } }, { telemetry: "d.value" })).toEqual([uplink({ value: 7 })]);
  });
  test("a body that is a list is one of items", () => {
    expect(
      take(
        [
          { id: "a", t: 1 },
          { id: "b", t: 2 },
        ],
        { deviceId: "id" },
      ),
    ).toEqual([uplink({ t: 1 }, { externalId: "a" }), uplink({ t: 2 }, { externalId: "b" })]);
  });
  test("nothing where they point is refused, but for the device, which may be told elsewhere", () => {
    expect(refusal(() => take({ t: 1 }, { telemetry: "data" }))).toBe("integration.body_invalid");
    expect(refusal(() => take({ t: 1 }, { items: "list" }))).toBe("integration.body_invalid");
    expect(take({ t: 1 }, { deviceId: "id" })).toEqual([uplink({ t: 1 })]);
    expect(take({ t: 1 }, { deviceId: "constructor.name" })).toEqual([uplink({ t: 1 })]);
  });
  test("that are none are refused when the integration is made", () => {
    for (const path of ["a..b", "a[", "a[x]", ".a", "a]b", "a.", `a${".b".repeat(20)}`, "x".repeat(300)])
      expect(refusal(() => take({}, { deviceId: path }))).toBe("integration.path_invalid");
  });
});

describe("of MQTT", () => {
  const from = (body: unknown, topic: string, topicDevice?: string) =>
    adapter("generic").normalize(inbound(body, { topic, ...(topicDevice && { topicDevice }) }));

  test("a bare value has the last level of its topic as its name", () => {
    expect(only(from("21.5", "hall/kitchen/temperature")).telemetry).toEqual({ temperature: 21.5 });
    expect(only(from("true", "hall/kitchen/on/")).telemetry).toEqual({ on: true });
    expect(only(from("OPEN", "hall/door")).telemetry).toEqual({ door: "OPEN" });
    expect(only(from("21.5", "hall/kitchen", "kitchen")).telemetry).toEqual({ value: 21.5 });
  });
  test("null and blanks say nothing, broken JSON and bytes are refused", () => {
    expect(from("null", "a/b").messages).toEqual([]);
    expect(refusal(() => from('{"t":', "a/b"))).toBe("body.malformed");
    expect(refusal(() => from("  ", "a/b"))).toBe("body.malformed");
    expect(refusal(() => from(new Uint8Array([0, 255, 3]), "a/b"))).toBe("body.not_utf8");
    expect(refusal(() => from("x".repeat(2_000), "a/b"))).toBe("body.malformed");
  });
});

test("nothing that anybody sends breaks it", () => {
  const bodies = [
    {
      deviceToken: "tok",
      childDeviceId: "c",
      ts,
      telemetry: [{ ts, values: { t: 1 } }],
      attributes: { a: 1 },
    },
    [{ externalDeviceId: "a", payload: { t: 1 } }],
    { id: 1, list: [{ v: { t: 1 } }] },
  ];
  expectNeverToBreak(() => adapter("generic"), bodies, [{}, { topic: "a/b" }, { encoding: "CBOR" }]);
  const paths = { items: "list", deviceId: "$.id", telemetry: "v", ts: "v.t" };
  expectNeverToBreak(() => adapter("generic", { paths }), bodies);
});

describe("attributes by a path", () => {
  const body = { id: "pump", about: { firmware: "2.1" }, v: { pressure: 3 } };

  test("become attributes of the device beside its telemetry", () => {
    expect(take(body, { deviceId: "id", telemetry: "v", attributes: "about" })).toEqual([
      {
        kind: "attributes",
        device: { externalId: "pump" },
        telemetry: {},
        attributes: { firmware: "2.1" },
      },
      { kind: "uplink", device: { externalId: "pump" }, telemetry: { pressure: 3 } },
    ]);
  });

  test("need no telemetry beside them", () => {
    const messages = take(
      { id: "pump", about: { firmware: "2.1" } },
      {
        deviceId: "id",
        telemetry: "v",
        attributes: "about",
      },
    );
    expect(messages.map(({ kind }) => kind)).toEqual(["attributes"]);
    expect(() => take({ id: "pump" }, { deviceId: "id", telemetry: "v", attributes: "about" })).toThrow();
  });

  test("may be the whole body", () => {
    expect(take({ firmware: "2.1", port: 3 }, { attributes: "$" })).toEqual([
      { kind: "attributes", device: {}, telemetry: {}, attributes: { firmware: "2.1", port: 3 } },
    ]);
  });

  test("nothing that anybody sends breaks it", () => {
    expectNeverToBreak(() => adapter("generic", { paths: { attributes: "about", telemetry: "v" } }), [body]);
  });
});
