import { expect } from "bun:test";
import fc from "fast-check";
import { DomainError } from "../../../../src/lib/core/domain-error.ts";
import { adapterOf } from "../../../../src/modules/integrations/adapters/adapters.ts";
import type {
  Adapter,
  AdapterDefinition,
  InboundMessage,
  IntegrationSettings,
  Normalized,
  NormalizedMessage,
} from "../../../../src/modules/integrations/integrations.types.ts";

export const RECEIVED_AT = Date.parse("2026-03-01T12:00:00Z");

const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array
    ? body
    : new Uint8Array(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));

export const inbound = (body: unknown, rest: Partial<InboundMessage> = {}): InboundMessage => ({
  bytes: bytesOf(body),
  encoding: "AUTO",
  receivedAt: RECEIVED_AT,
  ...rest,
});

type Format = AdapterDefinition["format"];

export const adapter = (format: Format, settings: IntegrationSettings = {}): Adapter =>
  adapterOf(format).create(settings);

/** What the code of its refusal is. */
export function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError && ["invalid", "too_large"].includes(error.kind)) return error.code;
    throw error;
  }
  throw new Error("it was taken");
}

/** The one message that is in it. */
export function only(normalized: Normalized): NormalizedMessage {
  expect(normalized.messages).toHaveLength(1);
  return normalized.messages[0]!;
}

const isRejected = (act: () => Normalized) => {
  try {
    const { messages } = act();
    for (const { ts, radio } of messages) {
      if (ts !== undefined) expect(Number.isFinite(ts)).toBe(true);
      for (const value of Object.values(radio ?? {})) expect(["number", "string"]).toContain(typeof value);
    }
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== "invalid") throw error;
  }
};

const strange = fc.oneof(
  fc.constantFrom(null, "", "x", 0, -1, 1e308, true, [], {}, "2026-13-45", "9".repeat(30), [null], [[]]),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A body with some of its places, however deep, made another thing or taken away. */
const spoiled = (body: unknown): fc.Arbitrary<unknown> =>
  fc.array(fc.tuple(fc.nat(), strange, fc.boolean()), { minLength: 1, maxLength: 6 }).map((mutations) => {
    const copy = structuredClone(body);
    for (const [index, value, isGone] of mutations) {
      const places = placesOf(copy);
      const place = places[index % Math.max(1, places.length)];
      if (!place) continue;
      const [holder, key] = place;
      if (isGone) delete holder[key];
      else holder[key] = structuredClone(value);
    }
    return copy;
  });

type Holder = Record<string, unknown>;

function placesOf(value: unknown): [holder: Holder, key: string][] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap((key) => [[holder, key] as [Holder, string], ...placesOf(holder[key])]);
}

/** Takes any bytes, any JSON and every body with parts of it spoiled, or refuses them as invalid; nothing else. */
export function expectNeverToBreak(
  newAdapter: () => Adapter,
  bodies: readonly unknown[],
  rest: Partial<InboundMessage>[] = [{}],
): void {
  const context = fc.constantFrom(...rest);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), context, (bytes, more) =>
      isRejected(() => newAdapter().normalize(inbound(bytes, more))),
    ),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), context, (body, more) =>
      isRejected(() => newAdapter().normalize(inbound(body, more))),
    ),
    { numRuns: 300 },
  );
  if (bodies.length === 0) return;
  fc.assert(
    fc.property(fc.constantFrom(...bodies).chain(spoiled), context, (body, more) =>
      isRejected(() => newAdapter().normalize(inbound(body, more))),
    ),
    { numRuns: 1_000 },
  );
}

/** The number of messages that an adapter took, and the family of the reason where it took none. */
export const outcomeOf = ({ messages, ignored }: Normalized) => [
  messages.length,
  ignored?.code.split(".")[0],
];
