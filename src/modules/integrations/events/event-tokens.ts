import { createFieldFinder, maskRange } from "../../../lib/json/secret-fields.ts";
import type { SealedBox } from "../../../platform/secrets/sealed-box.ts";
import type { InboundMessage } from "../integrations.types.ts";

/*
 * Masks device access tokens in messages. Events show messages to users who may not read tokens, so each `deviceToken` is stored as asterisks
 * of the same length, which JSON and CBOR allow. The tokens are sealed separately, for replaying the message.
 */

const tokenRanges = createFieldFinder(["deviceToken"]);

export type EventTokens = ReturnType<typeof createEventTokens>;

export function createEventTokens(box: Pick<SealedBox, "seal" | "open">) {
  return {
    /** Returns the message as stored. */
    mask(source: InboundMessage): InboundMessage {
      const ranges = tokenRanges(source.bytes);
      if (ranges.length === 0) return source;
      const bytes = new Uint8Array(source.bytes); // `slice` of a Buffer copies nothing
      const tokens: Array<readonly [from: number, token: string]> = [];
      for (const range of ranges) {
        const token = Buffer.from(bytes.subarray(range.from, range.to)).toString("latin1");
        tokens.push([range.from, token]);
        maskRange(bytes, range);
      }
      return { ...source, bytes, sealedTokens: box.seal(JSON.stringify(tokens)) };
    },
    /** Returns the original message. */
    unmask({ sealedTokens, ...source }: InboundMessage): InboundMessage {
      const text = sealedTokens === undefined ? undefined : box.open(sealedTokens);
      if (text === undefined) return source;
      const bytes = new Uint8Array(source.bytes); // `slice` of a Buffer copies nothing
      for (const [from, token] of JSON.parse(text) as Array<[number, string]>) // sealed by us
        bytes.set(Buffer.from(token, "latin1"), from);
      return { ...source, bytes };
    },
  };
}
