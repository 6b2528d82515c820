import { isJsonObject } from "../../lib/json.ts";
import { hasText } from "../../lib/texts/catalogues.ts";

/** Text in the log in place of a secret. The log may show that a secret changed. */
const HIDDEN = "•••";
const TEXT_LENGTH_MAX = 8_192;
const DEPTH_MAX = 8;

/** Names of what opens something. `credentials` and the like are objects of such; a device's attribute may be named so too. */
const secretName = /passw|secret|token|otp|credential|authorization|api_?key|private_?key|^code$|^pin$/i;
/** Fields that change with everything else. */
const stamps: ReadonlySet<string> = new Set(["updatedAt", "lastUsedAt"]);
/** Fields that are left out of entries about creation and deletion, because the entry has them anyway. */
const existing: ReadonlySet<string> = new Set([...stamps, "createdAt", "tenantId"]);

/** Returns whether the object is a text of ours, whose field `code` opens nothing. */
const isCatalogueText = ({ code, params }: Record<string, unknown>): boolean =>
  typeof code === "string" && hasText(code) && isJsonObject(params);

function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) return "…";
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  if (!isJsonObject(value) || isCatalogueText(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretName.test(name) && inner !== null && typeof inner !== "boolean"
        ? HIDDEN
        : withoutSecrets(inner, depth + 1),
    ]),
  );
}

function bounded(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  if (text === undefined) return null;
  if (text.length <= TEXT_LENGTH_MAX) return text;
  const fields = isJsonObject(value) ? Object.keys(value).slice(0, 100) : [];
  return JSON.stringify({
    truncated: true,
    bytes: text.length,
    fields: fields.map((name) => name.slice(0, 64)),
  });
}

/** The fields of `first` that `second` has otherwise, or not at all. */
function differing(first: unknown, second: unknown): unknown {
  if (!isJsonObject(first) || !isJsonObject(second)) return first;
  const changed = Object.entries(first).filter(
    ([name, value]) => !stamps.has(name) && JSON.stringify(value) !== JSON.stringify(second[name]),
  );
  return Object.fromEntries(changed);
}

/** The fields that say something. */
function filled(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name, inner]) => inner !== null && !existing.has(name)),
  );
}

/** Describes a change for the log: only the differences, nothing secret, and at most 8 KiB each. */
export function describeChange(
  before: unknown,
  after: unknown,
): { before: string | null; after: string | null } {
  const wasThere = before !== undefined && before !== null;
  const isThere = after !== undefined && after !== null;
  const was = wasThere && isThere ? differing(before, after) : filled(before);
  const is = wasThere && isThere ? differing(after, before) : filled(after);
  return {
    before: bounded(withoutSecrets(was ?? undefined)),
    after: bounded(withoutSecrets(is ?? undefined)),
  };
}
