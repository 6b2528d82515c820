import { describe, expect, test } from "bun:test";
import type { ScriptSandbox } from "../../../src/modules/script-sandbox/script-sandbox.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import {
  failureOf,
  frameOf,
  good,
  openSandbox,
  returnOf,
  run,
  sandbox,
  useSandbox,
} from "./sandbox-fixture.ts";

useSandbox();

describe("transform", () => {
  test("replaces a message by its result, and gets the metadata", async () => {
    expect(await returnOf("function transform(m, meta) { return { x: m.a + 1, t: meta.topic }; }")).toEqual({
      x: 2,
      t: "t",
    });
  });

  test("drops the message with null or nothing", async () => {
    expect(await returnOf("function transform() { return null; }")).toBeUndefined();
    expect(await returnOf("const transform = () => {};")).toBeUndefined();
  });

  test("may be a promise", async () => {
    expect(await returnOf("async function transform(m) { return { x: await m.a }; }")).toEqual({ x: 1 });
    expect((await failureOf(run("async function transform() { throw new Error('later'); }"))).message).toBe(
      "The script failed: Error: later.",
    );
    expect((await failureOf(run("const transform = () => new Promise(() => {});"))).message).toContain(
      "never settles",
    );
  });

  test("comes before a codec, and is given the frame", async () => {
    const source =
      "function decodeUplink() { return { data: 1 }; } const transform = (m, meta, frame) => ({ ...frame });";
    expect(await returnOf(source, frameOf(1, 2))).toEqual({
      bytes: [1, 2],
      fPort: 7,
      recvTime: "2026-03-01T12:00:00.000Z",
    });
  });

  test("knows nothing of the message before", async () => {
    const source =
      "var count = (globalThis.count || 0) + 1; Object.prototype.spoilt = 1; function transform() { return count; }";
    expect(await returnOf(source)).toBe(1);
    expect(await returnOf(source)).toBe(1);
    expect(await returnOf("function transform() { return { spoilt: ({}).spoilt === 1 }; }")).toEqual({
      spoilt: false,
    });
  });

  test("writes to a console that comes with the result, and with a failure", async () => {
    const { console } = await run(
      "function transform(m) { console.log('saw', m, 2n, undefined); console.warn('w'); return 1; }",
    );
    expect(console).toEqual([
      { level: "log", text: 'saw {"a":1} 2n undefined' },
      { level: "warn", text: "w" },
    ]);
    expect((await failureOf(run("console.info('before'); while (true);"))).console).toEqual([
      { level: "info", text: "before" },
    ]);
  });
});

describe("a failed script", () => {
  test("is reported with its line", async () => {
    expect(await failureOf(run("\n\nfunction transform( {"))).toMatchObject({
      code: "script.syntax",
      line: 3,
      kind: "invalid",
    });
    expect(await failureOf(run("\nfunction transform() {\n  return missing;\n}"))).toMatchObject({
      code: "script.error",
      line: 3,
      message: "The script failed: ReferenceError: 'missing' is not defined.",
      params: {
        reason: {
          code: "script_reason.threw",
          params: { message: "ReferenceError: 'missing' is not defined" },
        },
      },
    });
  });

  test("is a syntax error only where the source cannot be parsed", async () => {
    const source = "function transform() { return JSON.parse('{'); }";
    expect((await failureOf(run(source))).code).toBe("script.error");
  });

  test("is reported when it defines no function to call", async () => {
    expect((await failureOf(run("let x = 1;"))).message).toContain("defines none of transform");
    expect((await failureOf(run("function decodeUplink() {}"))).message).toContain("this message has none");
  });

  test("is reported for sources and messages that are too large", async () => {
    expect((await failureOf(run(`//${"x".repeat(256 * 1024)}`))).code).toBe("script.syntax");
    const message = "x".repeat(1024 * 1024);
    expect((await failureOf(sandbox.run({ ...good, key: "large", message }))).code).toBe("script.error");
  });
});

describe("vendors' codecs, unchanged", () => {
  const temperature = "(b[0] << 8 | b[1]) / 10";
  const rows: ReadonlyArray<readonly [string, string, unknown]> = [
    [
      "decodeUplink",
      `function decodeUplink(input) { var b = input.bytes; return { data: { t: ${temperature}, p: input.fPort, at: input.recvTime.toISOString() } }; }`,
      { t: 25.8, p: 7, at: "2026-03-01T12:00:00.000Z" },
    ],
    [
      "ChirpStack v3",
      `function Decode(fPort, b, variables) { return { t: ${temperature}, p: fPort, v: variables }; }`,
      { t: 25.8, p: 7, v: {} },
    ],
    [
      "The Things Network v2",
      `function Decoder(b, port) { return { t: ${temperature}, p: port }; }`,
      { t: 25.8, p: 7 },
    ],
    ["CommonJS", `exports.decodeUplink = ({ bytes: b }) => ({ data: { t: ${temperature} } });`, { t: 25.8 }],
    [
      "CommonJS beside the function",
      `function decodeUplink(i) { return { data: { n: i.bytes.length } }; } if (typeof module !== "undefined" && module.exports) module.exports = { decodeUplink };`,
      { n: 2 },
    ],
    [
      "a bundle",
      `!function (t, n) { "object" == typeof exports && "object" == typeof module ? module.exports = n() : t.codec = n(); }(self, () => ({ decodeUplink: (i) => ({ data: { b: i.bytes } }) }));`,
      { b: [1, 2] },
    ],
    [
      "with old habits",
      `decodeUplink = function (input) { undeclared = 1; with ({ k: 2 }) { return { data: { k, octal: 010, list: Array.isArray(input.bytes) } }; } };`,
      { k: 2, octal: 8, list: true },
    ],
    [
      "with Buffer",
      `function decodeUplink(i) { const b = new Buffer(i.bytes); return { data: { hex: b.toString("hex"), base64: b.toString("base64"), u: b.readUInt16LE(0), i: Buffer.from("ff38", "hex").readInt16BE(0), f: Buffer.from([0, 0, 0x80, 0x3f]).readFloatLE(0) } }; }`,
      { hex: "0102", base64: "AQI=", u: 513, i: -200, f: 1 },
    ],
    [
      "with base64 and text",
      `function decodeUplink() { return { data: { a: atob("aMOp"), b: btoa("h\\u00e9"), t: new TextDecoder().decode(new TextEncoder().encode("hé€😀")), bad: new TextDecoder().decode([0xff, 0x41]) } }; }`,
      { a: "hÃ©", b: "aOk=", t: "hé€😀", bad: "\ufffdA" },
    ],
  ];
  for (const [name, source, expected] of rows)
    test(`decode: ${name}`, async () => {
      expect(await returnOf(source, frameOf(1, 2))).toEqual(expected as never);
    });

  test("tell their warnings, and fail with their errors", async () => {
    const warned = await run(
      "function decodeUplink() { return { data: { a: 1 }, warnings: ['battery low'] }; }",
      { frame: frameOf(1) },
    );
    expect(warned.warnings).toEqual(["battery low"]);
    const failed = await failureOf(
      run("function decodeUplink() { return { errors: ['unknown port', 'really'] }; }", {
        frame: frameOf(1),
      }),
    );
    expect(failed).toMatchObject({
      code: "script.error",
      message: "`decodeUplink` reports: unknown port; really.",
      params: {
        reason: {
          code: "script_reason.reported",
          params: { name: "decodeUplink", errors: "unknown port; really" },
        },
      },
    });
    expect(
      (await failureOf(run("function decodeUplink() { return {}; }", { frame: frameOf(1) }))).message,
    ).toBe("`decodeUplink` returned no data.");
  });

  test("encode downlinks, in each network's form", async () => {
    const encode = (source: string) =>
      sandbox.encode({ tenantId: "t", source, key: source, data: { on: true }, fPort: 5 });
    expect(
      await encode(
        "function encodeDownlink(i) { return { bytes: [i.data.on ? 1 : 0, 255, -1], fPort: 9, warnings: ['w'] }; }",
      ),
    ).toMatchObject({
      bytes: Uint8Array.of(1, 255, 255),
      fPort: 9,
      warnings: ["w"],
    });
    expect(
      await encode("function Encode(fPort, obj, variables) { return [fPort, obj.on]; }").catch(
        (error) => error.message,
      ),
    ).toContain("at index 1 that Encode returned is not a byte");
    expect((await encode("function Encode(fPort, obj) { return [fPort, +obj.on]; }")).bytes).toEqual(
      Uint8Array.of(5, 1),
    );
    expect(await encode("function Encoder(obj, port) { return new Uint8Array([port]); }")).toMatchObject({
      bytes: Uint8Array.of(5),
      fPort: undefined,
    });
    expect((await failureOf(encode("function encodeDownlink() { return { errors: 'no' }; }"))).message).toBe(
      "`encodeDownlink` reports: no.",
    );
    expect(
      (await failureOf(encode("function encodeDownlink() { return { bytes: new Array(300).fill(0) }; }")))
        .message,
    ).toContain("300 bytes");
    expect((await failureOf(encode("function decodeUplink() {}"))).message).toContain(
      "defines none of encodeDownlink",
    );
  });

  test("are checked for the functions that they define", async () => {
    const { functions } = await sandbox.check(
      "const decodeUplink = () => {}; function Encode() {} var transform = 3; exports.Encoder = () => {};",
      { tenantId: "t", key: "c" },
    );
    expect(functions).toEqual(["decodeUplink", "Encode", "Encoder"]);
    expect((await failureOf(sandbox.check("function (", { tenantId: "t", key: "c" }))).code).toBe(
      "script.syntax",
    );
  });
});

describe("the fair queue", () => {
  test("alternates between keys: one with many messages does not delay others", async () => {
    const order: string[] = [];
    const ask = (key: string) => sandbox.run({ ...good, key }).then(() => order.push(key));
    await Promise.all([...Array.from({ length: 20 }, () => ask("busy")), ask("quiet")]);
    expect(order.indexOf("quiet")).toBeLessThan(3);
  });

  test("refuses messages beyond its limit at once", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, () => sandbox.run({ ...good, key: "many" })),
    );
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(36);
    expect(refused[0]?.reason).toMatchObject({ code: "script.busy", kind: "limited" });
  });
});

describe("the circuit breaker", () => {
  const evil = { tenantId: "t", key: "e", source: "while (true);", message: null, metadata: null } as const;
  const overrun = async (own: ScriptSandbox, times: number) => {
    const codes: string[] = [];
    for (let count = 0; count < times; count++) codes.push((await failureOf(own.run(evil))).code);
    return codes;
  };

  test("opens after three overruns in a row, tries again after a while, and waits longer each time", async () => {
    const clock = new FakeClock();
    const own = openSandbox({ clock });
    expect(await overrun(own, 4)).toEqual([
      "script.overrun",
      "script.overrun",
      "script.overrun",
      "script.breaker",
    ]);
    expect(own.breakerOf("e")).toMatchObject({ isOpen: true, retryInMs: 60_000 });
    expect((await failureOf(own.run(evil))).message).toContain("not run for 60 s");
    expect((await own.run({ ...good, key: "other" })).value).toEqual(good.value);
    clock.advance(60_000);
    expect(await overrun(own, 2)).toEqual(["script.overrun", "script.breaker"]);
    expect(own.breakerOf("e")?.retryInMs).toBe(120_000);
    own.reset("e");
    expect(own.breakerOf("e")).toBeUndefined();
    expect(await overrun(own, 1)).toEqual(["script.overrun"]);
    await own.stop();
  });

  test("closes with another source, and counts anew after a run that went well", async () => {
    const own = openSandbox();
    await overrun(own, 3);
    expect((await own.run({ ...good, key: "e" })).value).toEqual(good.value);
    expect(await overrun(own, 2)).toEqual(["script.overrun", "script.overrun"]);
    await own.run({ ...good, key: "e" });
    expect(await overrun(own, 2)).toEqual(["script.overrun", "script.overrun"]);
    await own.stop();
  });
});
