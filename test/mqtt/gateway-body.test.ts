import { describe, expect, test } from "bun:test";
import { encode } from "cbor-x";
import fc from "fast-check";
import { DomainError } from "../../src/lib/core/domain-error.ts";
import { decodeBody } from "../../src/lib/json/body.ts";
import {
  CHILDREN_PER_MESSAGE_MAX,
  parseChild,
  parseParts,
  parseRequest,
  parseResponse,
} from "../../src/modules/gateways/gateway-body.ts";

const parsers = { parseResponse, parseChild, parseParts, parseRequest };
const text = fc.string({ unit: "grapheme", maxLength: 40 });
const name = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "toString", "0", ""));
const id = fc.oneof(fc.maxSafeInteger(), fc.string({ minLength: 1, maxLength: 64 }));

/** What a parser makes of a body, or that it refused it; anything else fails the test. */
function outcome(parse: (body: unknown) => unknown, body: unknown): unknown {
  try {
    return parse(body);
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    expect((error as DomainError).kind).toBe("invalid");
    return undefined;
  }
}

describe.each(Object.entries(parsers))("%s", (_name, parse) => {
  test("takes or refuses any JSON, and never throws anything else", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => void outcome(parse, body)),
      { numRuns: 300 },
    );
  });

  test("takes or refuses whatever CBOR may hold", () => {
    const body = fc.oneof(
      fc.uint8Array(),
      fc.date(),
      fc.bigInt(),
      fc.constantFrom(undefined, null, Number.NaN, new Map(), new Set([1])),
      fc.object({ withBigInt: true, withDate: true, withTypedArray: true, withMap: true }),
    );
    fc.assert(
      fc.property(body, (input) => void outcome(parse, input)),
      { numRuns: 300 },
    );
  });

  test("takes or refuses any bytes that decode", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
        void outcome((input) => parse(decodeBody(input as Uint8Array, "AUTO")), bytes);
      }),
      { numRuns: 500 },
    );
  });
});

describe("what was said is what is heard", () => {
  const parts = fc.uniqueArray(fc.tuple(name, fc.jsonValue()), {
    minLength: 1,
    maxLength: 20,
    selector: ([key]) => key,
  });

  test("of parts in JSON: every child once, with its own value", () => {
    fc.assert(
      fc.property(parts, (input) => {
        const said = `{${input.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`;
        const received = new Map(parseParts(decodeBody(Buffer.from(said), "AUTO")));
        expect(received).toEqual(new Map(JSON.parse(JSON.stringify(input))));
      }),
    );
  });

  test("of parts in CBOR", () => {
    // The decoder gives `__proto__` another name.
    const name = text.filter((key) => key !== "__proto__");
    const plain = fc.uniqueArray(fc.tuple(name, fc.integer()), { minLength: 1, selector: ([key]) => key });
    fc.assert(
      fc.property(plain, (input) => {
        const bytes = new Uint8Array(encode(Object.fromEntries(input)));
        expect(new Map(parseParts(decodeBody(bytes, "CBOR")))).toEqual(new Map(input));
      }),
    );
  });

  test("of requests and answers", () => {
    fc.assert(
      fc.property(
        id,
        text,
        fc.boolean(),
        fc.option(fc.array(text, { maxLength: 10 }), { nil: undefined }),
        (asked, device, client, keys) => {
          expect(parseRequest({ id: asked, device, client, ...(keys && { keys }) })).toEqual({
            id: asked,
            name: device,
            scope: client ? "CLIENT" : "SHARED",
            keys,
            isSingle: keys?.length === 1,
          });
        },
      ),
    );
    fc.assert(
      fc.property(fc.nat(), text, fc.jsonValue(), (rpcId, device, data) => {
        expect(parseResponse({ id: rpcId, device, data })).toEqual({ name: device, rpcId, data });
        expect(parseResponse({ id: `${rpcId}`, device, data }).rpcId).toBe(rpcId);
      }),
    );
  });
});

test("a message carries so many children, and not one more", () => {
  const of = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, 1]));
  expect(parseParts(of(CHILDREN_PER_MESSAGE_MAX)).length).toBe(CHILDREN_PER_MESSAGE_MAX);
  expect(() => parseParts(of(CHILDREN_PER_MESSAGE_MAX + 1))).toThrow("at most");
});
