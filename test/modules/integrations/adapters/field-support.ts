import { inEnglish } from "../../../../src/lib/core/domain-error.ts";
import type {
  InboundMessage,
  IntegrationSettings,
} from "../../../../src/modules/integrations/integrations.types.ts";
import { adapter, inbound, only } from "./adapter-support.ts";

/** Messages that devices and programs of the field send, with what has to become of them. */

export const RUNS = { numRuns: 1_000 };
export const SENT_AT = Date.parse("2026-02-20T10:00:00Z");
type Format = Parameters<typeof adapter>[0];

export const take = (
  format: Format,
  body: unknown,
  rest: Partial<InboundMessage> & { settings?: IntegrationSettings } = {},
) => {
  const { settings = {}, ...more } = rest;
  return adapter(format, settings).normalize(inbound(body, more));
};
export const values = (...parameters: Parameters<typeof take>) => ({
  ...only(take(...parameters)).telemetry,
});
export const notes = (...parameters: Parameters<typeof take>) =>
  (take(...parameters).notes ?? []).map(inEnglish).join("; ");
