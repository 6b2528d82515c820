/**
 * Node's `Buffer` for scripts, over Uint8Array. Implemented functions behave as in Node for all arguments; others throw, because a silently
 * different result would be worse than a missing function. Needs the polyfills of base64 and text.
 */
export const bufferPolyfill = String.raw`(function () {
  const names = { utf8: "utf8", "utf-8": "utf8", hex: "hex", base64: "base64", base64url: "base64url", latin1: "latin1", binary: "latin1",
    ascii: "ascii", ucs2: "utf16", "ucs-2": "utf16", utf16le: "utf16", "utf-16le": "utf16" };
  const known = (encoding) => Object.prototype.hasOwnProperty.call(names, String(encoding).toLowerCase());
  function encodingOf(encoding) {
    if (encoding === undefined || encoding === null || encoding === "") return "utf8";
    if (typeof encoding !== "string" || !known(encoding)) throw new TypeError("Unknown encoding: " + String(encoding));
    return names[encoding.toLowerCase()];
  }
  const isBytes = (value) => value instanceof Uint8Array;
  const outOfRange = (name, value) => new RangeError('The value of "' + name + '" is out of range. Received ' + String(value));
  const wrongType = (name, kind) => new TypeError('The "' + name + '" argument must be ' + kind);

  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  function bytesOfBase64(text) {
    const bytes = [];
    let bits = 0, count = 0;
    for (let at = 0; at < text.length; at++) {
      let letter = text[at];
      if (letter === "=") break;
      if (letter === "-") letter = "+"; else if (letter === "_") letter = "/";
      const value = letters.indexOf(letter);
      if (value < 0) continue;
      bits = ((bits << 6) | value) & 0xffffff;
      count += 6;
      if (count >= 8) { count -= 8; bytes.push((bits >> count) & 255); }
    }
    return bytes;
  }
  function bytesOfText(text, given) {
    const encoding = encodingOf(given);
    if (encoding === "utf8") return new TextEncoder().encode(text);
    if (encoding === "hex") return (/^(?:[0-9a-f]{2})*/i.exec(text)[0].match(/../g) || []).map((pair) => parseInt(pair, 16));
    if (encoding === "base64" || encoding === "base64url") return bytesOfBase64(text);
    const bytes = [];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      bytes.push(code & 255);
      if (encoding === "utf16") bytes.push(code >> 8);
    }
    return bytes;
  }
  const made = (source) => { const bytes = new Bytes(source.length); for (let at = 0; at < source.length; at++) bytes[at] = source[at]; return bytes; };
  const whole = (value) => { const number = Math.trunc(Number(value)); return Number.isNaN(number) ? 0 : number; };
  const safe = (value) => { const number = Math.trunc(+value); return Number.isSafeInteger(number) ? number : 0; };
  function bound(value, standard, length) {
    if (value === undefined) return standard;
    const number = whole(value);
    return number < 0 ? 0 : number > length ? length : number;
  }
  function offsetOf(name, value, standard, most) {
    if (value === undefined) return standard;
    if (typeof value !== "number") throw wrongType(name, "of type number");
    if (!Number.isInteger(value) || value < 0 || value > most) throw outOfRange(name, value);
    return value;
  }

  /** Returns the bytes to search for or to fill in: a text, a number or bytes. */
  function patternOf(value, encoding) {
    if (typeof value === "string") return bytesOfText(value, encoding);
    if (isBytes(value)) return value;
    return undefined;
  }
  function find(bytes, value, given, encoding, isLast) {
    if (typeof given === "string") { encoding = given; given = undefined; }
    const number = typeof value === "number" ? [value & 255] : undefined;
    const pattern = number || patternOf(value, encoding);
    if (!pattern) throw wrongType("value", "one of type number or string or an instance of Buffer or Uint8Array");
    // As in Node, UTF-16 compares units of two bytes and ignores an odd last byte.
    const step = !number && encodingOf(encoding) === "utf16" ? 2 : 1;
    let at = Number(given);
    if (given === undefined || Number.isNaN(at)) at = isLast ? bytes.length : 0;
    at = Math.trunc(at);
    if (at < 0) at += bytes.length;
    if (at < 0) { if (isLast && pattern.length > 0) return -1; at = 0; }
    if (at > bytes.length) { if (!isLast && pattern.length > 0) return -1; at = bytes.length; }
    if (pattern.length === 0) return isLast ? at - (at % step) : at;
    const most = bytes.length - pattern.length, wanted = pattern.length - (pattern.length % step);
    if (most < 0 || wanted === 0 || (!isLast && at > most)) return -1;
    const last = bytes.length - (bytes.length % step) - wanted;
    at = Math.min(at, last);
    at -= at % step;
    for (; isLast ? at >= 0 : at <= last; at += isLast ? -step : step) {
      let same = 0;
      while (same < wanted && bytes[at + same] === pattern[same]) same++;
      if (same === wanted) return at;
    }
    return -1;
  }
  function order(a, b) {
    const length = Math.min(a.length, b.length);
    for (let at = 0; at < length; at++) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
    return Math.sign(a.length - b.length);
  }

  class Bytes extends Uint8Array {
    get parent() { return this.buffer; }
    get offset() { return this.byteOffset; }
    toString(given, start, end) {
      const encoding = encodingOf(given), from = bound(start, 0, this.length), to = bound(end, this.length, this.length);
      if (to <= from) return "";
      const part = this.subarray(from, to);
      if (encoding === "utf8") return new TextDecoder("utf-8", { ignoreBOM: true }).decode(part);
      let text = "";
      if (encoding === "hex") { for (const byte of part) text += (byte < 16 ? "0" : "") + byte.toString(16); return text; }
      if (encoding === "utf16") { for (let at = 0; at + 1 < part.length; at += 2) text += String.fromCharCode(part[at] | (part[at + 1] << 8)); return text; }
      for (const byte of part) text += String.fromCharCode(encoding === "ascii" ? byte & 127 : byte);
      if (encoding === "base64") return btoa(text);
      if (encoding === "base64url") return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
      return text;
    }
    toLocaleString(...given) { return this.toString(...given); }
    toJSON() { return { type: "Buffer", data: Array.from(this) }; }
    slice(start, end) { return this.subarray(start, end); }
    equals(other) {
      if (!isBytes(other)) throw wrongType("otherBuffer", "an instance of Buffer or Uint8Array");
      return order(this, other) === 0;
    }
    compare(target, targetStart, targetEnd, start, end) {
      if (!isBytes(target)) throw wrongType("target", "an instance of Buffer or Uint8Array");
      const b = target.subarray(offsetOf("targetStart", targetStart, 0, Infinity), offsetOf("targetEnd", targetEnd, target.length, target.length));
      return order(this.subarray(offsetOf("sourceStart", start, 0, Infinity), offsetOf("sourceEnd", end, this.length, this.length)), b);
    }
    copy(target, at, start, end) {
      if (!isBytes(target)) throw wrongType("target", "an instance of Buffer or Uint8Array");
      const to = safe(at), from = safe(start);
      if (to < 0) throw outOfRange("targetStart", at);
      if (from < 0 || from > this.length) throw outOfRange("sourceStart", start);
      const until = end === undefined ? this.length : safe(end);
      if (until < 0) throw outOfRange("sourceEnd", end);
      if (to >= target.length || from >= until) return 0;
      const part = this.subarray(from, Math.min(until, this.length)).subarray(0, target.length - to);
      target.set(part, to);
      return part.length;
    }
    write(text, offset, length, encoding) {
      if (typeof text !== "string") throw wrongType("string", "of type string");
      if (offset === undefined) return this.write(text, 0, this.length);
      if (typeof offset === "string") {
        if (length !== undefined) throw wrongType("offset", "of type number");
        encoding = offset;
        offset = undefined;
      } else if (typeof length === "string") { encoding = length; length = undefined; }
      const at = offsetOf("offset", offset, 0, this.length);
      const room = Math.min(offsetOf("length", length, this.length - at, this.length), this.length - at);
      const kind = encodingOf(encoding), bytes = bytesOfText(text, encoding);
      let count = Math.min(room, bytes.length);
      // Half a character is not written.
      if (kind === "utf8") while (count > 0 && count < bytes.length && (bytes[count] & 0xc0) === 0x80) count--;
      if (kind === "utf16") count -= count % 2;
      for (let index = 0; index < count; index++) this[at + index] = bytes[index];
      return count;
    }
    fill(value, offset, end, encoding) {
      if (typeof value === "string") {
        if (offset === undefined || typeof offset === "string") { encoding = offset; offset = undefined; end = undefined; }
        else if (typeof end === "string") { encoding = end; end = undefined; }
      }
      const from = offsetOf("offset", offset, 0, offset === undefined ? 0 : this.length), to = offset === undefined ? this.length : offsetOf("end", end, this.length, this.length);
      let pattern = typeof value === "string" ? bytesOfText(value, encoding) : isBytes(value) ? value : undefined;
      if (pattern && pattern.length === 0) {
        if (value !== "") throw new TypeError("The argument 'value' is invalid");
        pattern = [0];
      }
      if (!pattern) pattern = [typeof value === "boolean" ? Number(value) : value & 255];
      for (let at = from; at < to; at++) this[at] = pattern[(at - from) % pattern.length];
      return this;
    }
    indexOf(value, at, encoding) { return find(this, value, at, encoding, false); }
    lastIndexOf(value, at, encoding) { return find(this, value, at, encoding, true); }
    includes(value, at, encoding) { return find(this, value, at, encoding, false) !== -1; }
    swap16() { return swapped(this, 2); }
    swap32() { return swapped(this, 4); }
    swap64() { return swapped(this, 8); }
    readUIntBE(offset, size) { const at = placeOf(this, offset, size); let value = 0; for (let index = 0; index < size; index++) value = value * 256 + this[at + index]; return value; }
    readUIntLE(offset, size) { const at = placeOf(this, offset, size); let value = 0; for (let index = size - 1; index >= 0; index--) value = value * 256 + this[at + index]; return value; }
    readIntBE(offset, size) { return signed(this.readUIntBE(offset, size), size); }
    readIntLE(offset, size) { return signed(this.readUIntLE(offset, size), size); }
    writeUIntBE(value, offset, size) { return written(this, { value, offset, size, isLittle: false, least: 0, most: 2 ** (8 * size) - 1 }); }
    writeUIntLE(value, offset, size) { return written(this, { value, offset, size, isLittle: true, least: 0, most: 2 ** (8 * size) - 1 }); }
    writeIntBE(value, offset, size) { return written(this, { value, offset, size, isLittle: false, least: -(2 ** (8 * size - 1)), most: 2 ** (8 * size - 1) - 1 }); }
    writeIntLE(value, offset, size) { return written(this, { value, offset, size, isLittle: true, least: -(2 ** (8 * size - 1)), most: 2 ** (8 * size - 1) - 1 }); }
  }
  for (const name of ["Uint", "Int"]) for (const end of ["BE", "LE"]) if (name === "Uint")
    for (const verb of ["read", "write"]) Bytes.prototype[verb + "Uint" + end] = Bytes.prototype[verb + "UInt" + end];

  function swapped(bytes, size) {
    if (bytes.length % size !== 0) throw new RangeError("Buffer size must be a multiple of " + size * 8 + "-bits");
    for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
    return bytes;
  }
  const signed = (value, size) => (value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value);
  function placeIn(bytes, offset, size) {
    if (typeof offset !== "number") throw wrongType("offset", "of type number");
    if (!Number.isInteger(offset) || offset < 0 || offset + size > bytes.length) throw outOfRange("offset", offset);
    return offset;
  }
  function placeOf(bytes, offset, size) {
    if (offset === undefined) throw wrongType("offset", "of type number");
    if (typeof size !== "number") throw wrongType("byteLength", "of type number");
    if (!Number.isInteger(size) || size < 1 || size > 6) throw outOfRange("byteLength", size);
    return placeIn(bytes, offset, size);
  }
  function written(bytes, { value, offset, size, isLittle, least, most }) {
    if (typeof size !== "number") throw wrongType("byteLength", "of type number");
    if (!Number.isInteger(size) || size < 1 || size > 6) throw outOfRange("byteLength", size);
    const number = +value;
    if (number > most || number < least) throw outOfRange("value", value);
    const at = placeOf(bytes, offset, size);
    let rest = whole(number);
    if (rest < 0) rest += 2 ** (8 * size);
    for (let index = 0; index < size; index++) { bytes[at + (isLittle ? index : size - 1 - index)] = rest % 256; rest = Math.floor(rest / 256); }
    return at + size;
  }

  const kinds = { Uint8: 1, Int8: 1, Uint16: 2, Int16: 2, Uint32: 4, Int32: 4, Float32: 4, Float64: 8, BigInt64: 8, BigUint64: 8 };
  const shown = { Float32: "Float", Float64: "Double" };
  for (const kind of Object.keys(kinds)) {
    const size = kinds[kind], isBig = kind.startsWith("Big"), isFloat = kind.startsWith("Float");
    const isSigned = !/Uint/.test(kind), bits = BigInt(8 * size);
    const least = isSigned ? -(2n ** (bits - 1n)) : 0n, most = isSigned ? 2n ** (bits - 1n) - 1n : 2n ** bits - 1n;
    const check = (value) => {
      if (isBig) {
        if (typeof value !== "bigint") throw wrongType("value", "of type bigint");
        if (value < least || value > most) throw outOfRange("value", value);
        return value;
      }
      const number = +value;
      if (!isFloat && (number < Number(least) || number > Number(most))) throw outOfRange("value", value);
      return number;
    };
    for (const end of size === 1 ? [""] : ["LE", "BE"]) {
      const view = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const read = function (offset = 0) { return view(this)["get" + kind](placeIn(this, offset, size), end === "LE"); };
      const write = function (value, offset = 0) {
        const checked = check(value), at = placeIn(this, offset, size);
        view(this)["set" + kind](at, checked, end === "LE");
        return at + size;
      };
      const name = shown[kind] || kind;
      for (const alias of new Set([name, name.replace("Uint", "UInt")])) {
        Bytes.prototype["read" + alias + end] = read;
        Bytes.prototype["write" + alias + end] = write;
      }
    }
  }

  function Buffer(value, encoding, length) {
    if (typeof value !== "number") return Buffer.from(value, encoding, length);
    if (typeof encoding === "string") throw wrongType("string", "of type string");
    return Buffer.alloc(value);
  }
  function sizeOf(size) {
    if (typeof size !== "number") throw wrongType("size", "of type number");
    if (!(size >= 0 && size <= 2 ** 32)) throw outOfRange("size", size);
    return size;
  }
  Object.setPrototypeOf(Buffer, Uint8Array);
  Buffer.prototype = Bytes.prototype;
  Object.defineProperty(Bytes.prototype, "constructor", { value: Buffer, writable: true, configurable: true });
  Object.defineProperty(Buffer, Symbol.species, { get: () => Bytes });
  Buffer.poolSize = 8192;
  Buffer.from = (value, encoding, length) => {
    if (typeof value === "string") return made(bytesOfText(value, typeof encoding === "string" ? encoding : undefined));
    if (value instanceof ArrayBuffer || (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer)) {
      const at = encoding === undefined ? 0 : whole(encoding);
      if (at > value.byteLength) throw new RangeError('"offset" is outside of buffer bounds');
      if (length === undefined) return new Bytes(value, at);
      const size = Math.max(0, whole(length));
      if (at + size > value.byteLength) throw new RangeError('"length" is outside of buffer bounds');
      return new Bytes(value, at, size);
    }
    if (typeof value === "object" && value !== null) {
      const primitive = typeof value.valueOf === "function" ? value.valueOf() : value;
      if (primitive !== value && primitive !== null && primitive !== undefined && typeof primitive !== "number") return Buffer.from(primitive, encoding, length);
      if (typeof value.length === "number") return made(Array.from({ length: Math.max(0, whole(value.length)) }, (_, at) => value[at] & 255));
      if (value.type === "Buffer" && Array.isArray(value.data)) return Buffer.from(value.data);
      if (typeof value[Symbol.toPrimitive] === "function") { const text = value[Symbol.toPrimitive]("string"); if (typeof text === "string") return Buffer.from(text, encoding); }
      if (value.length !== undefined || value.buffer instanceof ArrayBuffer) return made([]);
    }
    throw wrongType("first", "of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object");
  };
  Buffer.alloc = (size, fill, encoding) => {
    const bytes = new Bytes(sizeOf(size));
    return fill === undefined || fill === 0 || bytes.length === 0 ? bytes : typeof fill === "string" && typeof encoding === "string" ? bytes.fill(fill, encoding) : bytes.fill(fill);
  };
  Buffer.allocUnsafe = Buffer.allocUnsafeSlow = (size) => new Bytes(sizeOf(size));
  Buffer.of = (...bytes) => made(bytes);
  Buffer.concat = (list, length) => {
    if (!Array.isArray(list)) throw wrongType("list", "an instance of Array");
    if (list.length === 0) return new Bytes(0);
    const total = length === undefined ? list.reduce((sum, part) => sum + (part ? part.length : 0), 0) : offsetOf("length", length, 0, Infinity);
    const all = new Bytes(total);
    let at = 0;
    for (const part of list) {
      if (!isBytes(part)) throw wrongType("list", "a list of instances of Buffer or Uint8Array");
      if (at < total) all.set(part.subarray(0, total - at), at);
      at += part.length;
    }
    return all;
  };
  Buffer.isBuffer = (value) => value instanceof Bytes;
  Buffer.isEncoding = (encoding) => typeof encoding === "string" && encoding.length > 0 && known(encoding);
  Buffer.compare = (a, b) => {
    if (!isBytes(a) || !isBytes(b)) throw wrongType("buf", "an instance of Buffer or Uint8Array");
    return order(a, b);
  };
  Buffer.byteLength = (value, encoding) => {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
    if (typeof value !== "string") throw wrongType("string", "of type string or an instance of Buffer or ArrayBuffer");
    if (typeof encoding !== "string" || !known(encoding)) return bytesOfText(value).length;
    const kind = encodingOf(encoding);
    if (kind === "hex") return value.length >>> 1;
    if (kind !== "base64" && kind !== "base64url") return bytesOfText(value, encoding).length;
    return ((value.length - (value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0)) * 3) >>> 2;
  };
  globalThis.Buffer = Buffer;
})();`;
