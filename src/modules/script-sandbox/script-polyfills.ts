import { bufferPolyfill } from "./buffer-polyfill.ts";

/**
 * Objects that ChirpStack's interpreter has and QuickJS has not, given to the scripts that name them: a Buffer over Uint8Array, base64 and
 * text.
 */

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

/** Returns the code to run before `source`, for the names that stand in it. */
export function polyfillsFor(source: string): readonly string[] {
  const hasBuffer = source.includes("Buffer");
  return [
    ...(hasBuffer || /atob|btoa/.test(source) ? [base64] : []),
    ...(hasBuffer || /Text(En|De)coder/.test(source) ? [text] : []),
    ...(hasBuffer ? [bufferPolyfill] : []),
  ];
}
