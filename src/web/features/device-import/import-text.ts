import { t } from "../../platform/i18n/i18n.ts";
import type { RowError } from "./bulk-api.ts";

const KNOWN: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [/^is required$/, () => t("importError.required")],
  [/^expected (.*)$/s, ([, what]) => t("importError.expected", { what: what ?? "" })],
  [/^row (\d+) has the same$/, ([, row]) => t("importError.same", { row: row ?? "" })],
  [/^no such column$/, () => t("importError.noColumn")],
  [/^more cells than columns$/, () => t("importError.moreCells")],
  [/^another device has this access token$/, () => t("importError.tokenTaken")],
  [/another device has this lorawanDevEui/i, () => t("importError.devEuiTaken")],
  [/^there is no such gateway$/, () => t("importError.noGateway")],
  [/^there is no such device profile$/, () => t("importError.noProfile")],
  [/plan of this tenant allows no more devices/, () => t("importError.planFull")],
];

/** What is wrong with a row, in the reader's language where there are words for it. */
export function mistakeText({ field, message }: Pick<RowError, "field" | "message">): string {
  for (const [pattern, text] of KNOWN) {
    const found = pattern.exec(message);
    if (found) return field === "" ? text(found) : `${field}: ${text(found)}`;
  }
  return field === "" ? message : `${field}: ${message}`;
}
