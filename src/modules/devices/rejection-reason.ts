import { detail, inEnglish } from "../../lib/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

/** A rejection in English, with the number of like ones before it that were only counted. */
export function rejectionReason(text: Text): string {
  const { unlisted } = text.params;
  return inEnglish(typeof unlisted === "number" ? detail("rejection.more", { text, count: unlisted }) : text);
}
