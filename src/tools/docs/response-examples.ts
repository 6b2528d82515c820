import { join } from "node:path";
import type { JsonValue } from "../../lib/json/json.ts";

/**
 * Chooses the examples of responses in the OpenAPI document from real responses. To choose them anew:
 *
 *     RESPONSES_FILE=answers.jsonl npm test -- test/api test/contract
 *     bun src/tools/docs/response-examples.ts answers.jsonl
 */

interface Recorded {
  readonly operationId?: string;
  readonly status: number;
  readonly body: JsonValue;
}

const BYTES_MAX = 1200;
const TEXT_MAX = 160;
const ITEMS_MAX = 2;
const NUMBERS_MAX = 6;
/** Newest timestamp of every example. */
const NEWEST = Date.UTC(2026, 2, 2, 8, 30);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** SHA-256 in hexadecimal digits. */
const FINGERPRINT = /^[0-9a-f]{64}$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const SECRET = /[\w-]{24,}/g;
/** Ports and folders of a run. */
const LOCAL: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b127\.0\.0\.1:\d{4,5}\b/g, "gateway.example:8080"],
  [/\/tmp\/lineside[\w./-]*/g, "/mnt/backup"],
];
/** Fields about errors. */
const TROUBLE = /"(?:error|lastError|problem|failed|errors|damage|losses)":(?!null|0|\[\]|"")/g;
const isEpoch = (value: number): boolean => Number.isInteger(value) && value > 1.5e12 && value < 2.5e12;

function walk(value: JsonValue, change: (leaf: string | number) => JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => walk(item, change));
  if (typeof value === "string" || typeof value === "number") return change(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, change)]));
}

/** Shortens lists to their first items. */
function shortenLists(value: JsonValue, itemsMax: number): JsonValue {
  if (Array.isArray(value)) {
    const max = value.some((item) => typeof item === "object") ? itemsMax : NUMBERS_MAX;
    return value.slice(0, max).map((item) => shortenLists(item, itemsMax));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, shortenLists(item, itemsMax)]),
  );
}

function shorten(body: JsonValue): JsonValue {
  const short = shortenLists(body, ITEMS_MAX);
  return JSON.stringify(short).length > BYTES_MAX ? shortenLists(body, 1) : short;
}

function newestTimeIn(body: JsonValue): number {
  let newest = 0;
  walk(body, (leaf) => {
    if (typeof leaf === "number" && isEpoch(leaf)) newest = Math.max(newest, leaf);
    if (typeof leaf === "string" && ISO_TIME.test(leaf)) newest = Math.max(newest, Date.parse(leaf));
    return leaf;
  });
  return newest;
}

/** Replaces ids by their order, times by times near a fixed one, and secrets by letters, so that a new selection changes as little as possible. */
function settle(body: JsonValue): JsonValue {
  const ids = new Map<string, string>();
  const shift = NEWEST - newestTimeIn(body);
  const idOf = (id: string): string => {
    const settled = ids.get(id) ?? `019ca6f0-5a3c-7b10-9c0e-${(ids.size + 1).toString(16).padStart(12, "0")}`;
    ids.set(id, settled);
    return settled;
  };
  const textOf = (text: string): string =>
    LOCAL.reduce((changed, [pattern, replacement]) => changed.replaceAll(pattern, replacement), text)
      .split(UUID)
      .map((part) => part.replace(SECRET, (secret) => `${secret.slice(0, 4)}…`))
      .reduce((whole, part, index) => whole + idOf(text.match(UUID)?.[index - 1] ?? "") + part);
  return walk(body, (leaf) => {
    if (typeof leaf === "number") return isEpoch(leaf) ? leaf + shift : leaf;
    if (ISO_TIME.test(leaf)) return new Date(Date.parse(leaf) + shift).toISOString();
    if (FINGERPRINT.test(leaf)) return leaf;
    return leaf.length > TEXT_MAX ? `${textOf(leaf.slice(0, TEXT_MAX))} …` : textOf(leaf);
  });
}

/** Rates a response: many fields, and no unusual texts. */
function score(body: JsonValue): number {
  let total = 0;
  const text = JSON.stringify(body);
  walk(body, (leaf) => {
    total += 1;
    if (
      typeof leaf === "string" &&
      (leaf.length > TEXT_MAX || /(.)\1{5}|[^\x20-\x7e…°äöüß²³µ]|[<>{}]/.test(leaf))
    )
      total -= 8;
    if (typeof leaf === "number" && Math.abs(leaf) > 2.5e12) total -= 8;
    return leaf;
  });
  total -= 10 * (text.match(TROUBLE)?.length ?? 0);
  if (text === "[]") total -= 100;
  if (text.length > BYTES_MAX) total -= 20 + text.length / 100;
  return total;
}

if (import.meta.main) {
  const [, , recording = ""] = process.argv;
  const best = new Map<string, { body: JsonValue; score: number; text: string }>();
  for (const line of (await Bun.file(recording).text()).split("\n")) {
    if (line === "") continue;
    const { operationId, status, body }: Recorded = JSON.parse(line);
    if (operationId === undefined) continue;
    const name = `${operationId} ${status}`;
    const settled = settle(shorten(body));
    const found = { body: settled, score: score(settled), text: JSON.stringify(settled) };
    const earlier = best.get(name);
    if (
      earlier !== undefined &&
      (earlier.score > found.score || (earlier.score === found.score && earlier.text <= found.text))
    )
      continue;
    best.set(name, found);
  }
  const file = join(import.meta.dir, "../../http/openapi/response-examples.json");
  // What these tests do not provoke keeps its example.
  const examples: Record<string, Record<string, JsonValue>> = await Bun.file(file).json();
  for (const name of [...best.keys()].sort()) {
    const [operationId = "", status = ""] = name.split(" ");
    examples[operationId] = { ...examples[operationId], [status]: best.get(name)?.body ?? null };
  }
  const sorted = Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1)));
  const lines = Object.entries(sorted).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  await Bun.write(file, `{\n${lines.join(",\n")}\n}\n`);
}
