import { invalid } from "../core/domain-error.ts";

/** Returns a dev EUI like `parseDevEui`; undefined for any other text. */
export function findDevEui(text: string): string | undefined {
  const characters = text.replace(/[\s:.-]/g, "").toLowerCase();
  return /^[0-9a-f]{16}$/.test(characters) ? characters : undefined;
}

/**
 * Returns a dev EUI as 16 lower-case hexadecimal characters, with any separators removed; undefined for an empty or non-string value.
 * @throws DomainError `integration.dev_eui_invalid`
 */
export function parseDevEui(value: unknown): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const devEui = findDevEui(value);
  if (devEui === undefined) throw invalid("integration.dev_eui_invalid");
  return devEui;
}
