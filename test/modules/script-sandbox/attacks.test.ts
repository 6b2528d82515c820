import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ScriptFailure } from "../../../src/modules/script-sandbox/script-sandbox.errors.ts";
import { frameOf, good, openSandbox } from "./sandbox-fixture.ts";

/**
 * Scripts that mean harm. Each ends as said, within its budget, and leaves nothing: the gateway goes on working while it
 * runs, and the next script finds everything as it should be.
 */

type Ending = "error" | "syntax" | "overrun" | "memory" | "output";
type Row = readonly [name: string, source: string, ends: Ending | readonly Ending[] | { returns: unknown }];

const inside = (body: string) => `function transform(message, metadata) { ${body} }`;

const escapes: readonly Row[] = [
  ["reads the process", inside("return process.env"), "error"],
  ["asks Bun", inside("return Bun.version"), "error"],
  ["requires a module", inside("return require('fs').readFileSync('/etc/passwd', 'utf8')"), "error"],
  ["imports a module", "import fs from 'fs'; function transform() {}", "syntax"],
  ["imports one later", inside("return import('node:fs')"), "error"],
  ["imports in a function made of text", inside("return new Function('return import(\"bun\")')()"), "error"],
  [
    "gets at the host by the constructor's constructor",
    inside("return ({}).constructor.constructor('return process')()"),
    "error",
  ],
  [
    "gets at the host by its console",
    inside("return console.log.constructor('return globalThis.process')() === undefined"),
    { returns: true },
  ],
  [
    "gets at the host by an error's call sites",
    inside(
      "Error.prepareStackTrace = (e, s) => s; const s = new Error('x').stack; return typeof s === 'string' || s.every((f) => !f.getThis || f.getThis() === undefined)",
    ),
    { returns: true },
  ],
  [
    "looks for globals of a host",
    inside(
      "return ['process', 'Bun', 'require', 'Deno', 'fetch', 'WebSocket', 'Worker', 'XMLHttpRequest', 'setTimeout', 'setInterval', 'queueMicrotask', 'WebAssembly', 'SharedArrayBuffer', 'std', 'os', 'scriptArgs', 'gc', 'print', 'load', 'readFile'].filter((name) => typeof globalThis[name] === 'function' || typeof globalThis[name] === 'object').filter((name) => name !== 'SharedArrayBuffer')",
    ),
    { returns: [] },
  ],
  [
    "compiles WebAssembly",
    inside("return new WebAssembly.Module(new Uint8Array([0, 97, 115, 109]))"),
    "error",
  ],
  ["reads a file by eval", inside("return eval('std.loadFile(\"/etc/passwd\")')"), "error"],
  ["walks up its callers", inside("return transform.caller.caller.arguments"), "error"],
  [
    "blocks the only thread for ever",
    inside("Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)"),
    "error",
  ],
];

const spoiling: readonly Row[] = [
  [
    "replaces JSON",
    `JSON.stringify = () => '{"value":{"forged":1}}'; JSON.parse = () => ({}); ${inside("return { real: message.a }")}`,
    { returns: { real: 1 } },
  ],
  [
    "gives every object a toJSON",
    `Object.prototype.toJSON = () => 7; ${inside("return { a: 1 }")}`,
    "output",
  ],
  [
    "gives every object an endless toJSON",
    `Object.prototype.toJSON = () => { for (;;); }; ${inside("return { a: 1 }")}`,
    "overrun",
  ],
  [
    "spoils arrays",
    `Array.prototype.push = () => { throw 1; }; Array.isArray = () => true; ${inside("console.log(1); return 1")}`,
    "error",
  ],
  [
    "spoils the prototype of all",
    `Object.defineProperty(Object.prototype, "fail", { get() { return { code: "x", message: "y" }; } }); ${inside("return { a: 1 }")}`,
    { returns: { a: 1 } },
  ],
  [
    "freezes everything",
    `Object.freeze(globalThis); Object.freeze(Object.prototype); ${inside("return 1")}`,
    { returns: 1 },
  ],
  [
    "deletes everything",
    `for (const name of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[name]; } catch {} } function transform() { return 1; }`,
    { returns: 1 },
  ],
  ["replaces globalThis", `globalThis = {}; ${inside("return 1")}`, { returns: 1 }],
  [
    "sends a __proto__ key",
    inside(`return JSON.parse('{"__proto__": {"isAdmin": true}, "a": 1}')`),
    { returns: JSON.parse('{"__proto__":{"isAdmin":true},"a":1}') },
  ],
  [
    "returns a proxy",
    inside("return new Proxy({ a: 1 }, { get: (t, k) => (k === 'toJSON' ? undefined : 2) })"),
    { returns: { a: 2 } },
  ],
  [
    "returns a proxy that throws",
    inside(
      "return new Proxy({}, { get() { throw new Error('trap'); }, ownKeys() { throw new Error('trap'); } })",
    ),
    ["output", "error"],
  ],
  [
    "returns a proxy without an end",
    inside(
      "return new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (t, k, r) => (k === 'toJSON' || k === 'then' ? undefined : r) })",
    ),
    ["output", "error"],
  ],
  ["returns a getter that never ends", inside("return { get a() { for (;;); } }"), "overrun"],
  [
    "returns a getter that throws itself",
    inside("const o = { get a() { throw o; } }; return o"),
    ["output", "error"],
  ],
  ["returns a cycle", inside("const o = {}; o.o = o; return o"), "output"],
  ["returns a BigInt", inside("return { n: 10n }"), "output"],
  ["returns a function", inside("return () => 1"), { returns: undefined }],
  ["returns a symbol", inside("return Symbol('x')"), { returns: undefined }],
  [
    "returns what is nested deeply",
    inside("let x = []; for (let i = 0; i < 2000; i++) x = [x]; return x"),
    "output",
  ],
  ["returns very much", inside("return 'x'.repeat(300 * 1024)"), "output"],
  [
    "returns very many keys",
    inside("const o = {}; for (let i = 0; i < 50000; i++) o['key' + i] = i; return o"),
    ["output", "overrun"],
  ],
  ["returns a thenable without an end", inside("return { then() { for (;;); } }"), "overrun"],
  [
    "returns a thenable that calls back twice",
    inside("return { then(done) { done(1); done(2); } }"),
    { returns: 2 },
  ],
  ["throws null", inside("throw null"), "error"],
  ["throws undefined at once", "throw undefined", "error"],
  ["throws a symbol", inside("throw Symbol('x')"), "error"],
  [
    "throws what cannot be read",
    inside("throw { get message() { throw 1; }, get name() { throw 2; }, toString() { throw 3; } }"),
    "error",
  ],
  ["throws what never ends to be read", inside("throw { get message() { for (;;); } }"), "error"],
  ["throws very much", inside("throw new Error('x'.repeat(1e6))"), "error"],
  ["writes to the console without an end", inside("for (;;) console.log('x'.repeat(10000))"), "overrun"],
  [
    "writes what cannot be read to the console",
    inside(
      "console.log(new Proxy({}, { get() { throw 1; } }), Object.create(null), Symbol('s'), 1n); return 1",
    ),
    { returns: 1 },
  ],
];

const hogs: readonly Row[] = [
  ["loops", "for (;;);", "overrun"],
  [
    "loops in a function that catches everything",
    inside("for (;;) { try { for (;;); } catch {} finally { continue; } }"),
    "overrun",
  ],
  ["loops in promises", "async function transform() { for (;;) await null; }", "overrun"],
  [
    "makes jobs without an end",
    inside("const again = () => Promise.resolve().then(again); again(); return new Promise(() => {})"),
    ["overrun", "memory"],
  ],
  ["recurses", inside("return transform()"), "error"],
  ["recurses through built-ins", "function transform() { return [1].map(transform); }", "error"],
  [
    "recurses in JSON",
    inside("let t = '['.repeat(100000) + ']'.repeat(100000); return JSON.parse(t)"),
    ["error", "memory"],
  ],
  [
    "recurses in a regular expression",
    inside("return /(?:(?:a?)*)*b/.test('a'.repeat(1e5))"),
    ["error", "overrun", "memory"],
  ],
  ["backtracks without an end", inside("return /^(a+)+$/.test('a'.repeat(50) + 'b')"), "overrun"],
  ["nests source deeply", `${"(".repeat(15000)}1${")".repeat(15000)}`, ["error", "syntax", "memory"]],
  [
    "fills memory with arrays",
    inside("const all = []; for (;;) all.push(new Array(1000).fill(all))"),
    ["memory", "overrun"],
  ],
  ["fills memory with one string", inside("let s = 'x'; for (;;) s += s"), ["error", "memory"]],
  [
    "fills memory with bytes",
    inside("const all = []; for (;;) all.push(new Uint8Array(1 << 20))"),
    ["error", "memory"],
  ],
  ["asks for a gigabyte at once", inside("return new ArrayBuffer(1 << 30).byteLength"), ["error", "memory"]],
  [
    "asks for all memory and catches it",
    inside("const all = []; for (;;) { try { all.push(new Uint8Array(1 << 16)); } catch { all.push(0); } }"),
    ["overrun", "memory"],
  ],
  [
    "fills a map",
    inside("const m = new Map(); for (let i = 0; ; i++) m.set('k' + i, i)"),
    ["memory", "overrun"],
  ],
  [
    "fills memory with closures",
    inside("let f = () => 0; for (;;) { const g = f; f = () => g; }"),
    ["memory", "overrun"],
  ],
  [
    "makes a BigInt of millions of digits",
    inside("return String(7n ** 4000000n).length"),
    ["error", "overrun", "memory"],
  ],
  ["joins without an end", inside("return new Array(4e8).join('')"), ["overrun", "memory"]],
  [
    "sorts without an end",
    inside("return new Array(3e8).fill().sort().length"),
    ["overrun", "memory", "error"],
  ],
  [
    "sorts by a comparison that never agrees",
    inside(
      "return Array.from({ length: 1e5 }, (_, i) => i).sort(() => 1).length > 0 && Array.from({ length: 5e5 }, Math.random).sort().length",
    ),
    ["overrun", "memory"],
  ],
  [
    "splits a long text again and again",
    inside("const t = 'ab'.repeat(1e6); for (;;) t.split('b').length"),
    ["overrun", "memory"],
  ],
  [
    "searches a long text for a long text",
    inside("const t = 'a'.repeat(4e6); for (;;) t.indexOf('a'.repeat(2e6) + 'b')"),
    ["overrun", "memory"],
  ],
  [
    "replaces every letter",
    inside("let t = 'a'.repeat(1e6); for (;;) t = t.replace(/a/g, 'ab').slice(0, 1e6)"),
    ["overrun", "memory"],
  ],
  ["copies bytes for ever", inside("const b = new Uint8Array(4e6); for (;;) b.copyWithin(1, 0)"), "overrun"],
  [
    "normalizes a long text",
    inside("return 'ﷺ'.repeat(1e6).normalize('NFKD').length"),
    ["overrun", "memory", "error"],
  ],
  [
    "writes JSON of much",
    inside("const o = Array.from({ length: 3e4 }, (_, i) => ({ i })); for (;;) JSON.stringify(o)"),
    "overrun",
  ],
  [
    "has an iterator without an end",
    inside("return [...{ *[Symbol.iterator]() { for (;;) yield 1; } }]"),
    ["overrun", "memory"],
  ],
  [
    "has a list of impossible length",
    inside("return Array.prototype.reverse.call({ length: 2 ** 53 - 1 })"),
    ["overrun", "memory", "error"],
  ],
  [
    "has a promise chain on which it sleeps",
    inside("const until = Date.now() + 1e4; while (Date.now() < until); return 1"),
    "overrun",
  ],
];

const rows = [...escapes, ...spoiling, ...hogs];

/** Each is asked for in each of these ways. */
const hostNames =
  "process Bun Deno require global window document fetch XMLHttpRequest WebSocket EventSource Worker SharedWorker navigator location performance crypto setTimeout setInterval setImmediate queueMicrotask structuredClone WebAssembly std os scriptArgs gc print load read readFile alert postMessage addEventListener Request Response Blob File FileReader localStorage indexedDB caches importScripts __dirname __filename".split(
    " ",
  );
const waysToAsk = [
  (name: string) => `return typeof ${name}`,
  (name: string) => `return new Function("return typeof ${name}")()`,
  (name: string) => `return (0, eval)("typeof ${name}")`,
  (name: string) => `return typeof (function () { return this; })()["${name}"]`,
  (name: string) => `return typeof Reflect.get(globalThis, "${name}")`,
];

let sandbox: ReturnType<typeof openSandbox>;
beforeAll(() => {
  sandbox = openSandbox();
});
afterAll(() => sandbox.stop());

test("there are enough of them", () => {
  expect(rows.length).toBeGreaterThanOrEqual(50);
  expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
});

test("nothing of a host is there, in whatever way it is asked for", async () => {
  const questions = hostNames.flatMap((name) => waysToAsk.map((ask) => inside(ask(name))));
  expect(questions.length).toBeGreaterThanOrEqual(200);
  for (const source of questions) {
    const { value } = await sandbox.run({ tenantId: "t", source, key: "host", message: {}, metadata: {} });
    expect([source, value]).toEqual([source, "undefined"]);
  }
});

for (const [name, source, ends] of rows)
  test(`a script that ${name} does no harm`, async () => {
    let iterations = 0;
    let isOver = false;
    const turn = () => {
      iterations++;
      if (!isOver) setTimeout(turn, 1);
    };
    turn();
    const began = performance.now();
    const ending = await sandbox
      .run({ tenantId: "t", source, key: name, message: { a: 1 }, metadata: {}, frame: frameOf(1) })
      .then(({ value }) => ({ returns: value }))
      .catch((error: ScriptFailure) => error);
    isOver = true;
    if (ending instanceof Error) {
      const allowed = (Array.isArray(ends) ? ends : [ends]).map((code) => `script.${code}`);
      expect(allowed).toContain(ending.code);
      expect(ending.message.length).toBeLessThan(1_100);
      expect(ending.console.length).toBeLessThanOrEqual(51);
    } else expect(ending).toEqual(ends as never);
    // The gateway's own thread was never held up by it.
    expect(iterations).toBeGreaterThanOrEqual(Math.floor((performance.now() - began) / 200));
    expect((await sandbox.run({ ...good, key: "good" })).value).toEqual(good.value);
  });
