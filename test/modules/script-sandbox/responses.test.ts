import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeFrame, FRAME_BYTES_MAX, FrameAssembler } from "../../../src/modules/script-sandbox/frames.ts";
import {
  readEncoded,
  readFunctions,
  readResult,
} from "../../../src/modules/script-sandbox/script-responses.ts";
import { ScriptFailure } from "../../../src/modules/script-sandbox/script-sandbox.errors.ts";
import { ScriptQueue } from "../../../src/modules/script-sandbox/script-sandbox.ts";

const reply = (value: string) => ({ ok: true, value, console: [], usedMs: 1, processorUs: 1 }) as const;
const readers = [readResult, readEncoded, readFunctions];

test("whatever a script process answers is read, or refused as the script's failure", () => {
  const text = fc.oneof(
    fc.json(),
    fc.string(),
    fc.json().map((json) => `{"value":${json},"bytes":${json},"warnings":${json}}`),
  );
  fc.assert(
    fc.property(text, (value) => {
      for (const read of readers)
        try {
          read(reply(value));
        } catch (error) {
          expect(error).toBeInstanceOf(ScriptFailure);
        }
    }),
    { numRuns: 500 },
  );
});

test("a warning or a parameter may be an object that has a toString of its own", () => {
  const odd = '{"toString":[]}';
  expect(readResult(reply(`{"value":1,"warnings":[${odd}]}`)).warnings).toEqual([odd]);
  expect(() => readResult(reply(`{"fail":{"reason":"reported","params":{"text":${odd}}}}`))).toThrow(
    ScriptFailure,
  );
});

test("an answer of 256 KiB that is nothing but brackets is refused", () => {
  const deep = "[".repeat(130_000) + "]".repeat(130_000);
  for (const read of readers) expect(() => read(reply(`{"value":${deep}}`))).toThrow(ScriptFailure);
});

test("bytes of a downlink are bytes, 255 at the most", () => {
  for (const bytes of [[256], [-1], [1.5], ["1"], new Array(256).fill(0), "ab", { length: 2 }])
    expect(() => readEncoded(reply(JSON.stringify({ bytes })))).toThrow(ScriptFailure);
  expect(readEncoded(reply('{"bytes":[0,255],"fPort":300}'))).toMatchObject({
    bytes: Uint8Array.of(0, 255),
    fPort: undefined,
  });
});

test("frames are put together from pieces of any size", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 5 }),
      fc.array(fc.nat(40), { maxLength: 60 }),
      (values, cuts) => {
        const all = Buffer.concat(values.map(encodeFrame));
        const assembler = new FrameAssembler();
        const got: unknown[] = [];
        let position = 0;
        for (const size of [...cuts, all.length]) {
          got.push(...assembler.add(all.subarray(position, position + size)));
          position += size;
        }
        expect(got).toEqual(JSON.parse(JSON.stringify(values)));
      },
    ),
  );
});

test("a frame that says it is longer than any is refused at once", () => {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(FRAME_BYTES_MAX + 1);
  expect(() => new FrameAssembler().add(head)).toThrow("a frame of");
});

const of = (key: string, tenantId = "t") => ({ tenantId, key });

describe("turns", () => {
  const queueOf = () => new ScriptQueue<string>({ perKeyMax: 3, max: 5 });
  const served = (queue: ScriptQueue<string>, times: number, cost: (key: string) => number) =>
    Array.from({ length: times }, () => {
      const item = queue.take();
      if (item !== undefined) queue.charge(of(item[0] ?? ""), cost(item[0] ?? ""));
      return item;
    });

  test("go round where all cost the same, and each key's own are in order", () => {
    const queue = queueOf();
    for (const item of ["a1", "a2", "a3", "b1", "b2"])
      expect(queue.add(of(item[0] ?? ""), item)).toBeUndefined();
    expect(queue.add(of("a"), "a4")).toBe("a4");
    expect(queue.add(of("c"), "c1")).toBe("a3");
    expect(served(queue, 6, () => 1)).toEqual(["a1", "b1", "c1", "a2", "b2", undefined]);
    expect(queue.size).toBe(0);
  });

  test("go by the time that each has used, also of one that comes again and again with a single one", () => {
    const queue = queueOf();
    const order: string[] = [];
    for (let turn = 0; turn < 500; turn++) {
      for (const key of ["slow", "fast"]) queue.add(of(key), key);
      const key = queue.take() ?? "";
      order.push(key);
      queue.charge(of(key), key === "slow" ? 100 : 1);
    }
    const slow = order.filter((key) => key === "slow").length;
    expect([slow >= 4, slow <= 6]).toEqual([true, true]);
  });

  test("are nothing that one can save up", () => {
    const queue = queueOf();
    for (let turn = 0; turn < 100; turn++) {
      queue.add(of("busy"), "b");
      queue.take();
      queue.charge(of("busy"), 10);
    }
    for (const key of ["new", "busy"]) for (const n of [1, 2]) queue.add(of(key), `${key}${n}`);
    expect(
      Array.from({ length: 4 }, () => {
        const item = queue.take() ?? "";
        queue.charge(of(item.slice(0, -1)), 10);
        return item;
      }),
    ).toEqual(["new1", "busy1", "new2", "busy2"]);
  });

  test("are shared by tenants, however many keys each of them has", () => {
    const queue = new ScriptQueue<string>({ perKeyMax: 3, max: 300 });
    for (let key = 0; key < 100; key++) queue.add(of(`b${key}`, "B"), "B");
    for (let key = 0; key < 2; key++) queue.add(of("a", "A"), "A");
    const order = Array.from({ length: 6 }, () => {
      const tenantId = queue.take() ?? "";
      queue.charge({ tenantId, key: "" }, tenantId === "B" ? 85 : 1);
      return tenantId;
    });
    expect(order).toEqual(["B", "A", "A", "B", "B", "B"]);
  });

  test("in a full queue are taken from the tenant with the most", () => {
    const queue = new ScriptQueue<string>({ perKeyMax: 3, max: 10 });
    for (let key = 0; key < 10; key++) expect(queue.add(of(`b${key}`, "B"), `b${key}`)).toBeUndefined();
    for (const item of ["a1", "a2", "a3"]) expect(queue.add(of("a", "A"), item)).toStartWith("b");
    expect(queue.add(of("b10", "B"), "b10")).toBe("b10");
    const left = Array.from({ length: 11 }, () => queue.take());
    expect(left.filter((item) => item?.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
    expect([queue.size, left.at(-1)]).toEqual([0, undefined]);
  });
});
