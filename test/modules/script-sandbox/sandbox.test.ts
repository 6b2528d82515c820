import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptFailure } from "../../../src/modules/script-sandbox/script-sandbox.errors.ts";
import type { ScriptSandbox } from "../../../src/modules/script-sandbox/script-sandbox.ts";
import type { ScriptFrame } from "../../../src/modules/script-sandbox/script-sandbox.types.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { frameOf, good, openSandbox } from "./sandbox-fixture.ts";

let sandbox: ReturnType<typeof openSandbox>;

beforeAll(() => {
  sandbox = openSandbox();
});
afterAll(() => sandbox.stop());

const run = (source: string, options: { frame?: ScriptFrame; message?: never; key?: string } = {}) =>
  sandbox.run({
    source,
    key: options.key ?? source,
    message: { a: 1 },
    metadata: { topic: "t" },
    ...options,
  });

async function failureOf(promise: Promise<unknown>): Promise<ScriptFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ScriptFailure) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

const returnOf = async (source: string, frame?: ScriptFrame) =>
  (await run(source, frame ? { frame } : {})).value as unknown;

describe("transform", () => {
  test("makes of a message what it returns, and sees the metadata", async () => {
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
      "the script failed: Error: later",
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

  test("writes to a console that is told with the result, and with a failure", async () => {
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

describe("what went wrong", () => {
  test("is told with the line", async () => {
    expect(await failureOf(run("\n\nfunction transform( {"))).toMatchObject({
      code: "script.syntax",
      line: 3,
      kind: "invalid",
    });
    expect(await failureOf(run("\nfunction transform() {\n  return missing;\n}"))).toMatchObject({
      code: "script.error",
      line: 3,
      message: "the script failed: ReferenceError: 'missing' is not defined",
      params: {
        reason: {
          code: "script_reason.threw",
          params: { message: "ReferenceError: 'missing' is not defined" },
        },
      },
    });
  });

  test("is the source's syntax only where that cannot be read", async () => {
    const source = "function transform() { return JSON.parse('{'); }";
    expect((await failureOf(run(source))).code).toBe("script.error");
  });

  test("is told where nothing can be called", async () => {
    expect((await failureOf(run("let x = 1;"))).message).toContain("defines none of transform");
    expect((await failureOf(run("function decodeUplink() {}"))).message).toContain("this message has none");
  });

  test("is told of sources and messages that are too large", async () => {
    expect((await failureOf(run(`//${"x".repeat(32 * 1024)}`))).code).toBe("script.syntax");
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
      message: "decodeUplink reports: unknown port; really",
      params: {
        reason: {
          code: "script_reason.reported",
          params: { name: "decodeUplink", errors: "unknown port; really" },
        },
      },
    });
    expect(
      (await failureOf(run("function decodeUplink() { return {}; }", { frame: frameOf(1) }))).message,
    ).toBe("decodeUplink returned no data");
  });

  test("encode downlinks, in each network's form", async () => {
    const encode = (source: string) => sandbox.encode({ source, key: source, data: { on: true }, fPort: 5 });
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
      "encodeDownlink reports: no",
    );
    expect(
      (await failureOf(encode("function encodeDownlink() { return { bytes: new Array(300).fill(0) }; }")))
        .message,
    ).toContain("300 bytes");
    expect((await failureOf(encode("function decodeUplink() {}"))).message).toContain(
      "defines none of encodeDownlink",
    );
  });

  test("are looked at for what they define", async () => {
    const { functions } = await sandbox.check(
      "const decodeUplink = () => {}; function Encode() {} var transform = 3; exports.Encoder = () => {};",
      "c",
    );
    expect(functions).toEqual(["decodeUplink", "Encode", "Encoder"]);
    expect((await failureOf(sandbox.check("function (", "c"))).code).toBe("script.syntax");
  });
});

describe("the process", () => {
  test("has no environment, no descriptors of the gateway's, and can open nothing", async () => {
    await sandbox.run({ ...good, key: "p" });
    expect(readFileSync(`/proc/${sandbox.pid}/environ`, "utf8")).toBe("TZ=UTC\0");
    expect(readdirSync(`/proc/${sandbox.pid}/fd`).length).toBeLessThanOrEqual(6);
    expect(readFileSync(`/proc/${sandbox.pid}/limits`, "utf8")).toMatch(/Max open files +0 +0/);
  });

  test("runs on UTC, wherever the gateway is", async () => {
    const source =
      "function transform() { return [new Date(0).getHours(), new Date(2026, 6, 1).getTimezoneOffset()]; }";
    expect(await returnOf(source)).toEqual([0, 0]);
  });

  test("takes messages of any size that a script may have, and gives back what it may", async () => {
    const message = Array.from({ length: 250 }, (_, row) => `${row} ${"ü".repeat(1_900)}`);
    const source = "function transform(list) { return list.slice(0, 100); }";
    const { value } = await sandbox.run({ source, key: "large", message, metadata: {} });
    expect(value).toEqual(message.slice(0, 100));
  });

  test("starts with the first script, ends when idle, and starts again", async () => {
    const clock = new FakeClock();
    const own = openSandbox({ clock });
    expect(own.pid).toBeUndefined();
    await own.run({ ...good, key: "k" });
    const first = own.pid;
    expect(first).toBeNumber();
    clock.advance(59_000);
    expect(own.pid).toBe(first);
    clock.advance(1_001);
    expect(own.pid).toBeUndefined();
    expect((await own.run({ ...good, key: "k" })).value).toEqual(good.value);
    expect(own.pid).not.toBe(first);
    await own.stop();
  });

  test("is replaced when something else ends it, and the script is none the wiser", async () => {
    const own = openSandbox();
    await own.run({ ...good, key: "k" });
    process.kill(own.pid as number, "SIGKILL");
    expect((await own.run({ ...good, key: "k" })).value).toEqual(good.value);
    await own.stop();
  });

  test("that does not start is told as being unavailable, and so is one that talks nonsense", async () => {
    for (const command of [
      ["/bin/false"],
      ["/bin/sh", "-c", "head -c 100 /dev/urandom; cat >/dev/null"],
      ["/no/such/program"],
    ]) {
      const own = openSandbox({ command });
      expect(await failureOf(own.run({ ...good, key: "k" }))).toMatchObject({
        code: "script.unavailable",
        kind: "unavailable",
      });
      await own.stop();
    }
  });

  test("that does not start is not tried again for each message, but after a while", async () => {
    const directory = await mkdtemp(join(tmpdir(), "lineside-scripts-"));
    const clock = new FakeClock();
    clock.advance(10_000);
    const own = openSandbox({ clock, command: ["/bin/sh", "-c", `echo tried >> ${directory}/tries`] });
    const tries = () => readFileSync(`${directory}/tries`, "utf8").split("\n").length - 1;
    const ask = () => Promise.allSettled(Array.from({ length: 20 }, () => own.run({ ...good, key: "k" })));
    await ask();
    await ask();
    expect(tries()).toBe(1);
    clock.advance(2_000);
    await ask();
    expect(tries()).toBe(2);
    await own.stop();
    await rm(directory, { recursive: true });
  });

  test("ends with the gateway, also under a script that the interpreter cannot stop", async () => {
    const child = Bun.spawn([process.execPath, `${import.meta.dir}/endless-script-child.ts`], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const reader = child.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await reader.read()).value));
    child.kill("SIGKILL");
    await child.exited;
    while (isAlive(pid)) await Bun.sleep(5);
  });

  test("is not there after stop, and nothing is run any more", async () => {
    const own = openSandbox();
    await own.run({ ...good, key: "k" });
    const pid = own.pid as number;
    const left = own.run({ ...good, key: "k", source: "while (true);" });
    const queued = own.run({ ...good, key: "k" });
    await own.stop();
    for (const promise of [left, queued, own.run({ ...good, key: "k" })])
      expect((await failureOf(promise)).code).toBe("script.unavailable");
    while (isAlive(pid)) await Bun.sleep(5);
  });
});

/** A killed process that nobody has asked about stays in the table as a zombie. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("turns", () => {
  test("go round by key: who sends much does not keep others waiting", async () => {
    const order: string[] = [];
    const ask = (key: string) => sandbox.run({ ...good, key }).then(() => order.push(key));
    await Promise.all([...Array.from({ length: 20 }, () => ask("busy")), ask("quiet")]);
    expect(order.indexOf("quiet")).toBeLessThan(3);
  });

  test("beyond what may wait are refused at once", async () => {
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
  const evil = { key: "e", source: "while (true);", message: null, metadata: null } as const;
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
