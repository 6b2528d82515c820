/**
 * JavaScript that runs inside the interpreter before a script: its console, the calls of its functions, and their results. A script can only break
 * its own prelude: output of the interpreter is text that the receiver validates.
 */

const CORE = `
  const { parse, stringify } = JSON;
  const evaluate = eval;
  const lines = [];
  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  function textOf(value) {
    if (typeof value === "string") return value;
    if (value instanceof Error) return String(value);
    if (typeof value === "object" && value !== null) {
      try { return stringify(value) || String(value); } catch { return "[object]"; }
    }
    return typeof value === "bigint" ? value + "n" : String(value);
  }
  const fail = (reason, params = {}, code = "error") => {
    for (const name in params) params[name] = short(String(params[name]), 1000);
    return { fail: { code, reason, params } };
  };
  function find(name) {
    const own = evaluate("typeof " + name + " === 'function' ? " + name + " : undefined");
    if (own) return own;
    const both = [evaluate("typeof module === 'object' && module ? module.exports : undefined"),
      evaluate("typeof exports === 'object' ? exports : undefined")];
    for (const exported of both) {
      if (!exported) continue;
      if (typeof exported[name] === "function") return exported[name].bind(exported);
      if (exported.default && typeof exported.default[name] === "function") return exported.default[name].bind(exported.default);
    }
    return undefined;
  }`;

const EXPORTING = `
  globalThis.module = { exports: {} };
  globalThis.exports = globalThis.module.exports;
  globalThis.self = globalThis;`;

const LOGGING = `
  const LINES_MAX = 50, LINE_MAX = 1000;
  const write = (level) => (...values) => {
    if (lines.length > LINES_MAX) return;
    if (lines.length === LINES_MAX) { lines.push({ level: "warn", text: "… and more" }); return; }
    let text = "";
    for (const value of values) {
      text += (text === "" ? "" : " ") + short(textOf(value), LINE_MAX);
      if (text.length >= LINE_MAX) break;
    }
    lines.push({ level, text: short(text, LINE_MAX) });
  };
  globalThis.console = {
    log: write("log"), info: write("info"), warn: write("warn"), error: write("error"),
    debug: write("debug"), trace: write("debug"), dir: write("log"), table: write("log"),
    assert: (holds, ...values) => { if (!holds) write("error")("Assertion failed", ...values); },
    group: write("log"), groupEnd() {}, time() {}, timeEnd() {},
  };`;

const CODECS = `
  function listOf(value) {
    if (value === undefined || value === null || value === "") return [];
    const list = Array.isArray(value) ? value : [value];
    const texts = [];
    for (let index = 0; index < list.length && index < 20; index++) texts.push(short(textOf(list[index]), 500));
    return texts;
  }
  /** The form that both networks' decoders and encoders answer in. */
  function ofCodec(name, result, take) {
    if (typeof result !== "object" || result === null) return fail("object", { name });
    const errors = listOf(result.errors);
    if (errors.length > 0) return fail("reported", { name, errors: errors.join("; ") });
    const out = take(result);
    return out.fail ? out : { ...out, warnings: listOf(result.warnings) };
  }`;

const SETTLING = `
  function whenSettled(value, shape) {
    if (typeof value !== "object" || value === null || typeof value.then !== "function") return shape(value);
    const state = { isWaiting: true };
    value.then(
      (result) => { state.isWaiting = false; state.result = result; },
      (error) => { state.isWaiting = false; state.hasFailed = true; state.error = error; },
    );
    return { waiting: () => {
      if (state.isWaiting) return fail("promise");
      if (state.hasFailed) throw state.error;
      return shape(state.result);
    } };
  }`;

const RUNNING = `
  const decoded = (result) =>
    result.data === undefined || result.data === null
      ? fail("data")
      : { value: result.data, isOfCodec: true };
  const plain = (value) => (value === undefined || value === null ? { dropped: true } : { value });
  const ofOldCodec = (value) => ({ ...plain(value), isOfCodec: true });

  function start({ message, metadata, frame }) {
    const given = frame && { ...frame, recvTime: new Date(frame.recvTime) };
    const transform = find("transform");
    if (transform) return whenSettled(transform(message, metadata, given), plain);
    const names = ["decodeUplink", "Decode", "Decoder"];
    const name = names.find((candidate) => find(candidate));
    if (!name) return fail("functions", { names: "transform, " + names.join(", ") });
    if (!given) return fail("frame", { name });
    const decode = find(name);
    if (name === "Decode") return whenSettled(decode(given.fPort, given.bytes, {}), ofOldCodec);
    if (name === "Decoder") return whenSettled(decode(given.bytes, given.fPort), ofOldCodec);
    return whenSettled(decode({ ...given, variables: {} }), (result) => ofCodec(name, result, decoded));
  }`;

const ENCODING = `
  function bytesOf(name, value) {
    const isList = Array.isArray(value) || ArrayBuffer.isView(value);
    if (!isList) return fail("bytes", { name });
    if (value.length > 255) return fail("byteCount", { name, count: value.length });
    const bytes = [];
    for (let index = 0; index < value.length; index++) {
      const byte = Math.trunc(value[index]);
      if (typeof value[index] !== "number" || !(byte >= -128 && byte <= 255))
        return fail("byte", { name, index, value: textOf(value[index]) });
      bytes.push(byte & 255);
    }
    return { bytes };
  }
  function encoded(result) {
    const out = bytesOf("encodeDownlink", result.bytes);
    if (out.fail || result.fPort === undefined || result.fPort === null) return out;
    const { fPort } = result;
    if (!(Number.isInteger(fPort) && fPort >= 0 && fPort <= 255))
      return fail("fPort", { value: textOf(fPort) });
    return { ...out, fPort };
  }

  function start({ data, fPort }) {
    const encode = find("encodeDownlink");
    if (encode)
      return whenSettled(encode({ data, fPort, variables: {} }), (result) => ofCodec("encodeDownlink", result, encoded));
    const Encode = find("Encode"), Encoder = find("Encoder");
    if (Encode) return whenSettled(Encode(fPort, data, {}), (bytes) => bytesOf("Encode", bytes));
    if (Encoder) return whenSettled(Encoder(data, fPort), (bytes) => bytesOf("Encoder", bytes));
    return fail("functions", { names: "encodeDownlink, Encode, Encoder" });
  }`;

const CHECKING = `
  const start = ({ names }) => ({ value: names.filter((name) => find(name)) });`;

const tools = String.raw`
  let waiting;
  function written(out) {
    if (out.waiting) { waiting = out.waiting; return ""; }
    let text;
    try { text = stringify(out); } catch (error) { text = stringify(fail("json", { message: textOf(error.message) }, "output")); }
    return text;
  }
  return {
    start: (input) => written(start(parse(input))),
    /** Result of a promise, after everything that it waits for. */
    taken: () => written(waiting()),
    describe(error) {
      let message = "it threw something that cannot be read", line;
      try {
        message = typeof error === "object" && error !== null && error.message !== undefined
          ? (error.name ? error.name + ": " : "") + error.message : "it threw " + textOf(error);
        line = /script\.js:(\d+)/.exec(error.stack);
      } catch {}
      return stringify({ message: short(String(message), 500), line: line ? Number(line[1]) : undefined });
    },
    lines: () => stringify(lines),
  };`;

const starters = { run: RUNNING, encode: ENCODING, check: CHECKING };

/**
 * Returns the prelude of a run, as an expression whose value is `{ start, taken, describe, lines }`. Every run parses it again, at about 0.1 ms per
 * KiB, so it only has the parts that the source may need.
 */
export function preludeFor(kind: keyof typeof starters, source: string): string {
  const parts = [
    CORE,
    /exports|module|self/.test(source) ? EXPORTING : "",
    source.includes("console") ? LOGGING : "",
    kind === "check" ? "" : CODECS,
    SETTLING,
    starters[kind],
    tools,
  ];
  return `(function () {\n"use strict";${parts.join("")}\n})()`;
}
