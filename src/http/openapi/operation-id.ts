/** Plural of a collection in a path to the singular of its item. */
function singular(noun: string): string {
  if (noun.endsWith("ies")) return `${noun.slice(0, -3)}y`;
  if (/(ss|us)$/.test(noun)) return noun;
  if (noun.endsWith("ches")) return noun.slice(0, -2);
  return noun.endsWith("s") ? noun.slice(0, -1) : noun;
}

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
const camel = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

interface Named {
  readonly method: string;
  /** Path with `:` before parameters. */
  readonly path: string;
  /** The answer is a list. */
  readonly isList: boolean;
  /** The answer is 201. */
  readonly isCreation: boolean;
}

const verbs: Record<string, string> = { PATCH: "update", PUT: "set", DELETE: "delete" };

/**
 * An identifier for a client's method: `listDevices`, `updateDevice`, `startDataPipeline`, `getDeviceTelemetryLatest`. A segment before a
 * parameter names one item of its collection.
 */
export function operationIdOf({ method, path, isList, isCreation }: Named): string {
  const segments = path
    .split("/")
    .filter((segment) => segment !== "" && segment !== "api" && segment !== "v1");
  const nouns = segments.flatMap((segment, index) => {
    if (segment.startsWith(":")) return [];
    const isOfItem = segments[index + 1]?.startsWith(":") ?? false;
    return [pascal(isOfItem ? singular(segment) : segment)];
  });
  const isItem = segments.at(-1)?.startsWith(":") ?? false;
  if (method === "GET") return `${isList ? "list" : "get"}${nouns.join("")}`;
  if (method !== "POST") return `${verbs[method] ?? camel(method)}${nouns.join("")}`;
  const last = nouns.at(-1) ?? "";
  if (isItem) return `post${nouns.join("")}`;
  if (isCreation && last.endsWith("s")) return `create${nouns.slice(0, -1).join("")}${singular(last)}`;
  return `${camel(last)}${nouns.slice(0, -1).map(singular).join("")}`;
}
