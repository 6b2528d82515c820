import { expect, test } from "bun:test";
import fc from "fast-check";
import { createScriptEngine } from "../../../src/modules/script-sandbox/script-engine.ts";
import { bufferExpression, observe } from "./buffer-cases.ts";

/** A script that names Buffer, so that it has it. */
const source = `/* Buffer */ function transform({ list }) { return ${observe}(list); }`;
const isError = (seen: string | undefined) => seen !== undefined && /Error/.test(seen);

const engine = await createScriptEngine();
function inScript(list: readonly string[]): string[] {
  const input = JSON.stringify({ message: { list }, metadata: {} });
  const reply = engine.execute({ kind: "run", source, input });
  if (!reply.ok) throw new Error(JSON.stringify(reply.reason));
  return JSON.parse(reply.value).value;
}
// biome-ignore lint/security/noGlobalEval: the expressions are of this test
const inNode = (list: readonly string[]): string[] => globalThis.eval(observe)(list);

test("Buffer does what Node's does with every kind of argument, or fails", () => {
  const expressions = fc.array(bufferExpression, { minLength: 20, maxLength: 40 });
  fc.assert(
    fc.property(expressions, (list) => {
      const [ours, theirs] = [inScript(list), inNode(list)];
      for (const [index, expression] of list.entries())
        if (!isError(ours[index])) expect([expression, ours[index]]).toEqual([expression, theirs[index]]);
    }),
    { numRuns: 200 },
  );
});

test("and fails only where Node's does, as codecs use it", () => {
  const list = [
    'Buffer.from("abcdefgh").indexOf("b")',
    'Buffer.alloc(8).fill("a").toString()',
    'Buffer.alloc(2, "ab").toString()',
    'Buffer.concat([Buffer.from("a"), Buffer.from("b")], 1).toString()',
    'Buffer.concat([Buffer.from("a"), Buffer.from("b")], 3)',
    'Buffer.from("AQ ID_-8=", "base64").toString("hex")',
    "new Buffer([1, 2]).readUInt16LE(0)",
    'Buffer("ab").equals(Buffer.from([97, 98]))',
    'Buffer.from("00ff", "hex").readIntBE(0, 2)',
    "Buffer.from([1, 2, 3, 4]).swap16()",
    'Buffer.from("\u20ac").toString("ascii")',
    "(() => { const b = Buffer.alloc(4); b.writeUInt32BE(4294967295); b.writeInt8(-1, 1); return b; })()",
    "(() => { const b = Buffer.from([1, 2, 3]); b.slice(1)[0] = 9; return b; })()",
    "Buffer.from([1, 2, 3]).readUInt8(3)",
    "Buffer.alloc(1).writeUInt8(256)",
    'Buffer.from("abc").compare(Buffer.from("abd"))',
    'Buffer.from("abcabc").lastIndexOf("bc")',
    'Buffer.from("abc").includes("bc")',
    'Buffer.from([1, 0]).lastIndexOf(Buffer.from([1]), "ucs2")',
    'Buffer.from([1, 0, 1, 0]).indexOf(Buffer.from([1, 0, 1]), 1, "ucs2")',
    'Buffer.byteLength("\u20ac")',
    'Buffer.isEncoding("UTF-16LE")',
    "Buffer.from(new Uint16Array([1, 257]))",
    "Buffer.from(new Uint8Array([1, 2, 3]).buffer, 1, 1)",
    "Buffer.from([0xe0, 0x80, 0x41, 0xf0, 0x9f]).toString()",
    "JSON.stringify(Buffer.from([1]))",
    "Buffer.from(5)",
    'Buffer.from("a", "nope")',
  ];
  expect(inScript(list)).toEqual(inNode(list));
});
