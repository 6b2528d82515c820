import type { Rejection } from "../../lib/api-types.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";

/** Returns why a message of a device was rejected, with the number of like ones before it. */
export function rejectionText({ code, params, reason }: Rejection): string {
  const { unlisted: count } = params;
  const text = { code, params };
  return serverText(
    typeof count === "number" ? { code: "rejection.more", params: { text, count } } : text,
    reason,
  );
}
