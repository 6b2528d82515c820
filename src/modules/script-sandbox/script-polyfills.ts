/**
 * Holds what ChirpStack's interpreter has and QuickJS has not, given to the scripts that name it: a Buffer over Uint8Array,
 * base64 and text. Written for codecs: small, and of Buffer what they use.
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
  const least = [0, 0x80, 0x800, 0x10000];
  globalThis.TextDecoder = class TextDecoder {
    #isFatal;
    constructor(label = "utf-8", options = {}) {
      if (!/^utf-?8$/i.test(label)) throw new RangeError("TextDecoder: only utf-8 is known here");
      this.#isFatal = options.fatal === true;
    }
    get encoding() { return "utf-8"; }
    decode(input = []) {
      const bytes = input instanceof ArrayBuffer ? new Uint8Array(input) : input;
      let out = "", at = 0;
      while (at < bytes.length) {
        const first = bytes[at++];
        const more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : (first & 0xf0) === 0xe0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : -1;
        let code = more <= 0 ? first : first & (63 >> more), read = 0;
        while (read < more && (bytes[at + read] & 0xc0) === 0x80) code = (code << 6) | (bytes[at + read++] & 63);
        at += read;
        const isWrong = more < 0 || read < more || code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
        if (isWrong && this.#isFatal) throw new TypeError("TextDecoder: this is not utf-8");
        out += isWrong ? "\ufffd" : String.fromCodePoint(code);
      }
      return out.charCodeAt(0) === 0xfeff ? out.slice(1) : out;
    }
  };
})();`;

const buffer = String.raw`(function () {
  const isLatin = (encoding) => /^(latin1|binary|ascii)$/.test(encoding);
  function bytesOfText(text, encoding = "utf8") {
    if (encoding === "hex") return (/^(?:[0-9a-f]{2})*/i.exec(text)[0].match(/../g) || []).map((pair) => parseInt(pair, 16));
    if (/^base64/.test(encoding))
      return Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "")), (letter) => letter.charCodeAt(0));
    if (isLatin(encoding)) return Array.from(text, (letter) => letter.charCodeAt(0) & 255);
    return new TextEncoder().encode(text);
  }
  function Buffer(value, encoding, length) { return typeof value === "number" ? Buffer.alloc(value) : Buffer.from(value, encoding, length); }
  class Bytes extends Uint8Array {
    static get [Symbol.species]() { return Bytes; }
    toString(encoding = "utf8", start = 0, end = this.length) {
      const part = this.subarray(start, end);
      if (encoding === "hex") return Array.prototype.map.call(part, (byte) => byte.toString(16).padStart(2, "0")).join("");
      if (/^(utf-?8)$/i.test(encoding)) return new TextDecoder().decode(part);
      let letters = "";
      for (const byte of part) letters += String.fromCharCode(encoding === "ascii" ? byte & 127 : byte);
      if (isLatin(encoding)) return letters;
      if (encoding === "base64") return btoa(letters);
      if (encoding === "base64url") return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
      throw new TypeError("Buffer: " + encoding + " is not known here");
    }
    toJSON() { return { type: "Buffer", data: Array.from(this) }; }
    slice(start, end) { return this.subarray(start, end); }
    equals(other) { return this.length === other.length && this.every((byte, at) => byte === other[at]); }
    copy(target, at = 0, start = 0, end = this.length) { const part = this.subarray(start, end); target.set(part.subarray(0, target.length - at), at); return Math.min(part.length, target.length - at); }
    write(text, at = 0, ...rest) { const bytes = Bytes.from(bytesOfText(text, rest.find((part) => typeof part === "string"))).subarray(0, this.length - at); this.set(bytes, at); return bytes.length; }
    readUIntBE(at, size) { let value = 0; for (let index = 0; index < size; index++) value = value * 256 + byteAt(this, at + index); return value; }
    readUIntLE(at, size) { let value = 0; for (let index = size - 1; index >= 0; index--) value = value * 256 + byteAt(this, at + index); return value; }
    readIntBE(at, size) { const value = this.readUIntBE(at, size); return value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value; }
    readIntLE(at, size) { const value = this.readUIntLE(at, size); return value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value; }
  }
  function byteAt(bytes, at) {
    if (!(at >= 0 && at < bytes.length)) throw new RangeError("Buffer: there is nothing at " + at);
    return bytes[at];
  }
  const kinds = { Uint8: 1, Int8: 1, Uint16: 2, Int16: 2, Uint32: 4, Int32: 4, Float32: 4, Float64: 8, BigInt64: 8, BigUint64: 8 };
  const names = { Float32: "Float", Float64: "Double" };
  for (const kind of Object.keys(kinds))
    for (const end of kinds[kind] === 1 ? [""] : ["LE", "BE"]) {
      const view = (bytes, at) => {
        byteAt(bytes, at); byteAt(bytes, at + kinds[kind] - 1);
        return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      };
      const read = function (at = 0) { return view(this, at)["get" + kind](at, end === "LE"); };
      const write = function (value, at = 0) { view(this, at)["set" + kind](at, value, end === "LE"); return at + kinds[kind]; };
      for (const name of new Set([names[kind] || kind, (names[kind] || kind).replace("Uint", "UInt")])) {
        Bytes.prototype["read" + name + end] = read;
        Bytes.prototype["write" + name + end] = write;
      }
    }
  const made = (source) => { const bytes = new Bytes(source.length); bytes.set(source); return bytes; };
  Buffer.prototype = Bytes.prototype;
  Buffer.from = (value, encoding, length) => {
    if (typeof value === "string") return made(bytesOfText(value, encoding));
    if (value instanceof ArrayBuffer) return new Bytes(value, encoding, length);
    return made(Array.from(value && value.type === "Buffer" ? value.data : value, (byte) => byte & 255));
  };
  Buffer.alloc = (size, fill = 0) => { const bytes = new Bytes(size); if (fill) bytes.fill(typeof fill === "string" ? fill.charCodeAt(0) : fill); return bytes; };
  Buffer.allocUnsafe = (size) => new Bytes(size);
  Buffer.concat = (list) => made(list.reduce((all, part) => all.concat(Array.from(part)), []));
  Buffer.isBuffer = (value) => value instanceof Bytes;
  Buffer.byteLength = (text, encoding) => bytesOfText(text, encoding).length;
  globalThis.Buffer = Buffer;
})();`;

/** Returns what has to run before `source`, for the names that stand in it. */
export function polyfillsFor(source: string): readonly string[] {
  const hasBuffer = source.includes("Buffer");
  return [
    ...(hasBuffer || /atob|btoa/.test(source) ? [base64] : []),
    ...(hasBuffer || /Text(En|De)coder/.test(source) ? [text] : []),
    ...(hasBuffer ? [buffer] : []),
  ];
}
