import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { invariant } from "../../lib/core/invariant.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { ErrorCode } from "../../lib/texts/catalogues.ts";
import type { Params, Text } from "../../lib/texts/text.ts";
import { QUICKJS_ASSET, readAsset } from "../../platform/process/assets.ts";
import { bufferPolyfill } from "./buffer-polyfill.ts";
import type { EngineReply, EngineRequest } from "./engine.types.ts";
import { preludeFor } from "./prelude.ts";
import { scriptLimits } from "./script-limits.ts";
import { type ConsoleLine, SCRIPT_FUNCTIONS } from "./script-sandbox.types.ts";

/* Objects of ChirpStack's interpreter that QuickJS lacks, added for scripts that name them: a Buffer over Uint8Array, base64 and text. */

const base64 = String.raw`(function () {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  globalThis.btoa = function btoa(text) {
    text = String(text);
    let out = "";
    for (let at = 0; at < text.length; at += 3) {
      const codes = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
      if (codes.some((code) => code > 255)) throw new Error("btoa: a character above 255");
      const bits = (codes[0] << 16) | ((codes[1] || 0) << 8) | (codes[2] || 0);
      out += letters[bits >> 18] + letters[(bits >> 12) & 63]
        + (at + 1 < text.length ? letters[(bits >> 6) & 63] : "=") + (at + 2 < text.length ? letters[bits & 63] : "=");
    }
    return out;
  };
  globalThis.atob = function atob(text) {
    const clean = String(text).replace(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "");
    if (clean.length % 4 === 1 || /[^A-Za-z0-9+\/]/.test(clean)) throw new Error("atob: this is not base64");
    let out = "", bits = 0, count = 0;
    for (const letter of clean) {
      bits = ((bits << 6) | letters.indexOf(letter)) & 0xffffff;
      count += 6;
      if (count >= 8) { count -= 8; out += String.fromCharCode((bits >> count) & 255); }
    }
    return out;
  };
})();`;

const text = String.raw`(function () {
  globalThis.TextEncoder = class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") {
      const bytes = [];
      for (const letter of String(text).toWellFormed()) {
        const code = letter.codePointAt(0);
        if (code < 0x80) bytes.push(code);
        else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
        else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
        else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
      }
      return new Uint8Array(bytes);
    }
  };
  /** Bounds of the second byte of a sequence, by its first (RFC 3629): others end the sequence. */
  const lowest = (first) => (first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80);
  const highest = (first) => (first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf);
  globalThis.TextDecoder = class TextDecoder {
    #isFatal;
    #keepsMark;
    constructor(label = "utf-8", options = {}) {
      if (!/^utf-?8$/i.test(label)) throw new RangeError("TextDecoder: only utf-8 is known here");
      this.#isFatal = options.fatal === true;
      this.#keepsMark = options.ignoreBOM === true;
    }
    get encoding() { return "utf-8"; }
    decode(input = []) {
      const bytes = input instanceof ArrayBuffer ? new Uint8Array(input) : input;
      let out = "", at = 0;
      while (at < bytes.length) {
        const first = bytes[at++];
        const more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : (first & 0xf0) === 0xe0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : -1;
        let code = more <= 0 ? first : first & (63 >> more), read = 0;
        while (read < more) {
          const next = bytes[at];
          if (!(next >= (read === 0 ? lowest(first) : 0x80) && next <= (read === 0 ? highest(first) : 0xbf))) break;
          code = (code << 6) | (next & 63);
          read++;
          at++;
        }
        const isWrong = more < 0 || read < more;
        if (isWrong && this.#isFatal) throw new TypeError("TextDecoder: this is not utf-8");
        out += isWrong ? "\ufffd" : String.fromCodePoint(code);
      }
      return out.charCodeAt(0) === 0xfeff && !this.#keepsMark ? out.slice(1) : out;
    }
  };
})();`;

/** Returns the code to run before `source`, for the names that it contains. */
function polyfillsFor(source: string): readonly string[] {
  const hasBuffer = source.includes("Buffer");
  return [
    ...(hasBuffer || /atob|btoa/.test(source) ? [base64] : []),
    ...(hasBuffer || /Text(En|De)coder/.test(source) ? [text] : []),
    ...(hasBuffer ? [bufferPolyfill] : []),
  ];
}

/*
 * Runs one script at a time in QuickJS, which is itself WebAssembly with separate memory. Each run has a new interpreter, so scripts leave
 * nothing behind for the next message or the next tenant.
 */

/** Additional time in ms for describing a stopped script. */
const AFTERWARDS_MS = 20;

type Outcome =
  | { ok: true; value: string }
  | { ok: false; code: "syntax" | "error" | "overrun" | "memory" | "output"; reason: Text; line?: number };

/** Syntax that only modules, and codecs written as modules, have. */
const MODULE_STATEMENT =
  /^[ \t]*(?:import\s*[\w{*"'].*|export\s+(?:default|function|const|let|var|class|async|\{).*)$/m;

const reasonOf = (code: ErrorCode, params: Params = {}): Text => ({ code, params });

const outOfMemory: Outcome = {
  ok: false,
  code: "memory",
  reason: reasonOf("script_reason.out_of_memory"),
};
const unreadable: Outcome = { ok: false, code: "error", reason: reasonOf("script_reason.unreadable") };
const overrun: Outcome = {
  ok: false,
  code: "overrun",
  reason: reasonOf("script_reason.ran_too_long", { softMs: scriptLimits.softMs }),
};

/** Discards the interpreter's output, because standard output is the connection to the gateway. */
const silent: object = { print() {}, printErr() {} };

export interface ScriptEngine {
  /** @throws Error if the interpreter itself fails; it must not be used again then */
  execute(request: EngineRequest): EngineReply;
}

export async function createScriptEngine(): Promise<ScriptEngine> {
  const { newQuickJSWASMModuleFromVariant, newVariant } = await import("quickjs-emscripten-core");
  const { default: variant } = await import("@jitl/quickjs-wasmfile-release-sync");
  const interpreter = readAsset(QUICKJS_ASSET);
  invariant(interpreter !== undefined, "the interpreter ships with the program");
  const module = await newQuickJSWASMModuleFromVariant(
    newVariant(variant, {
      wasmBinary: new Uint8Array(interpreter).buffer,
      wasmMemory: new WebAssembly.Memory({ initial: 256, maximum: scriptLimits.memoryPagesMax }),
      emscriptenModule: silent,
    }),
  );
  return { execute: (request) => new Execution(module, request).run() };
}

class Execution {
  readonly #request: EngineRequest;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #began = process.threadCpuUsage();
  #limitMs: number = scriptLimits.softMs;
  #wasStopped = false;

  constructor(module: QuickJSWASMModule, request: EngineRequest) {
    this.#request = request;
    this.#runtime = module.newRuntime();
    this.#runtime.setMemoryLimit(scriptLimits.heapBytesMax);
    this.#runtime.setMaxStackSize(scriptLimits.stackBytesMax);
    this.#runtime.setInterruptHandler(() => {
      if (this.#usedMs() < this.#limitMs) return false;
      this.#wasStopped = true;
      return true;
    });
    this.#context = this.#runtime.newContext();
  }

  run(): EngineReply {
    const { outcome, console } = this.#perform();
    // Freeing a script's values takes time, too, which counts as the script's.
    this.#context.dispose();
    this.#runtime.dispose();
    const usedMs = Math.round(this.#usedMs() * 10) / 10;
    const { user, system } = process.cpuUsage();
    return { ...outcome, console, usedMs, processorUs: user + system };
  }

  /** Returns the processor time of this thread, excluding other threads of the runtime. */
  #usedMs(): number {
    const { user, system } = process.threadCpuUsage(this.#began);
    return (user + system) / 1000;
  }

  #perform(): { outcome: Outcome; console: readonly ConsoleLine[] } {
    const { kind, source } = this.#request;
    const evaluated = this.#context.evalCode(preludeFor(kind, source), "lineside.js");
    if (evaluated.error) return { outcome: outOfMemory, console: [] };
    const tools = evaluated.value;
    const outcome = this.#evaluate(tools);
    this.#limitMs = this.#usedMs() + AFTERWARDS_MS;
    const console = this.#linesOf(tools);
    tools.dispose();
    return { outcome, console };
  }

  #evaluate(tools: QuickJSHandle): Outcome {
    const { source, input } = this.#request;
    for (const polyfill of polyfillsFor(source)) {
      const ready = this.#context.evalCode(polyfill, "lineside.js");
      if (ready.error) return this.#failed(tools, ready.error);
      ready.value.dispose();
    }
    // As the network servers run it: a script, not a module, and not in strict mode.
    const evaluated = this.#context.evalCode(source, "script.js", { strict: false });
    if (evaluated.error) return this.#failed(tools, evaluated.error, true);
    evaluated.value.dispose();
    const written = this.#call(tools, "start", input);
    if (!written.ok || written.value !== "") return written;
    const jobs = this.#runtime.executePendingJobs();
    if (jobs.error) return this.#failed(tools, jobs.error);
    // The error that stopped one promise may have been caught by another.
    if (this.#wasStopped) return overrun;
    return this.#call(tools, "taken");
  }

  /** Calls a function of the prelude that returns text. */
  #call(tools: QuickJSHandle, name: string, ...args: readonly string[]): Outcome {
    const context = this.#context;
    const handles = args.map((text) => context.newString(text));
    const called = context
      .getProp(tools, name)
      .consume((fn) => context.callFunction(fn, context.undefined, handles));
    for (const handle of handles) handle.dispose();
    if (called.error) return this.#failed(tools, called.error);
    return called.value.consume((value): Outcome => {
      if (context.typeof(value) !== "string")
        return { ok: false, code: "output", reason: reasonOf("script_reason.not_json") };
      const length = context.getProp(value, "length").consume((handle) => context.getNumber(handle));
      if (length <= scriptLimits.outputCharsMax) return { ok: true, value: context.getString(value) };
      const reason = reasonOf("script_reason.output_too_large", { max: scriptLimits.outputCharsMax / 1024 });
      return { ok: false, code: "output", reason };
    });
  }

  #failed(tools: QuickJSHandle, error: QuickJSHandle, isLoading = false): Outcome {
    if (this.#wasStopped) {
      error.dispose();
      return overrun;
    }
    this.#limitMs = this.#usedMs() + AFTERWARDS_MS;
    const context = this.#context;
    const described = context
      .getProp(tools, "describe")
      .consume((fn) => context.callFunction(fn, context.undefined, error));
    error.dispose();
    if (described.error) {
      described.error.dispose();
      // Describing an error catches everything except its own timeout and lack of memory in the interpreter.
      return this.#wasStopped ? unreadable : outOfMemory;
    }
    const text = described.value.consume((handle) =>
      context.typeof(handle) === "string" ? context.getString(handle) : "{}",
    );
    const { message, line } = JSON.parse(text) as { message: string; line?: number };
    // With no room left for an error either, the interpreter throws null.
    const isNull = message === "it threw null" && !/throw|reject/.test(this.#request.source);
    if (message === "InternalError: out of memory" || isNull) return outOfMemory;
    // Later it is what the script read that has the wrong syntax, as JSON.
    const code = isLoading && message.startsWith("SyntaxError") ? "syntax" : "error";
    if (code === "syntax" && MODULE_STATEMENT.test(this.#request.source))
      return {
        ok: false,
        code,
        reason: reasonOf("script_reason.module", { statement: this.#moduleStatement() }),
        ...(line === undefined ? {} : { line }),
      };
    const reason = reasonOf(code === "syntax" ? "script_reason.no_javascript" : "script_reason.threw", {
      message,
    });
    return { ok: false, code, reason, ...(line === undefined ? {} : { line }) };
  }

  /** Returns the first module statement in the source. */
  #moduleStatement(): string {
    return excerpt(MODULE_STATEMENT.exec(this.#request.source)?.[0].trim() ?? "");
  }

  #linesOf(tools: QuickJSHandle): readonly ConsoleLine[] {
    const written = this.#call(tools, "lines");
    if (!written.ok) return [];
    const lines: unknown = JSON.parse(written.value);
    return Array.isArray(lines) ? (lines.slice(0, scriptLimits.consoleLinesMax + 1) as ConsoleLine[]) : [];
  }
}

/** Argument of `check`. */
export const checkInput = JSON.stringify({ names: SCRIPT_FUNCTIONS });
