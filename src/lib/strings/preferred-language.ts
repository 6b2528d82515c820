export type Language = "en" | "de";

const PREFERENCES_MAX = 16;

/**
 * Returns the first supported language of `wanted` (`ui_locales` of OpenID Connect, space-separated), otherwise of the languages that the browser
 * accepts (RFC 9110, 12.5.4).
 */
export function preferredLanguage(wanted: string | undefined, accepted: string | null): Language {
  const byWeight = (accepted ?? "")
    .split(",", PREFERENCES_MAX)
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim());
      const weight = Number(parameters.find((text) => text.startsWith("q="))?.slice(2) ?? 1);
      return { tag, weight: Number.isFinite(weight) ? weight : 0 };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
  for (const tag of [...(wanted ?? "").split(" ", PREFERENCES_MAX), ...byWeight]) {
    if (/^de\b/i.test(tag)) return "de";
    if (/^en\b/i.test(tag)) return "en";
  }
  return "en";
}
