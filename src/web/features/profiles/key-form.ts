import { unitSymbol } from "../../../lib/keys/key-format.ts";
import {
  type KeyKind,
  type KeyLimits,
  type KeyMetadata,
  type KeyState,
  LIMIT_NAMES,
  type StateColor,
} from "../../../lib/keys/key-metadata.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { limitsText } from "../../ui/form/limits-text.ts";

export interface StateForm {
  /** Typed value; `true` and `12` become a boolean and a number unless the device sends texts. */
  readonly value: string;
  readonly name: string;
  readonly color: StateColor | "";
}

/** Metadata in the form. Empty fields are omitted. */
export interface KeyForm {
  readonly key: string;
  readonly name: string;
  readonly unit: string;
  readonly decimals: number | undefined;
  readonly kind: KeyKind | "";
  /** Kept fields that cannot be edited. */
  readonly range: Pick<KeyMetadata, "min" | "max">;
  readonly limits: KeyLimits;
  readonly states: readonly StateForm[];
  readonly group: string;
}

export const toKeyForm = (metadata: KeyMetadata): KeyForm => ({
  key: metadata.key,
  name: metadata.name ?? "",
  unit: metadata.unit ?? "",
  decimals: metadata.decimals,
  kind: metadata.kind ?? "",
  range: metadata,
  limits: metadata.limits ?? {},
  states: (metadata.states ?? []).map(({ value, name, color }) => ({
    value: String(value),
    name,
    color: color ?? "",
  })),
  group: metadata.group ?? "",
});

function stateValue(text: string, sample: unknown): KeyState["value"] {
  if (typeof sample === "string") return text;
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** @param sample value of a device: texts such as `1` stay texts if devices send texts */
export function fromKeyForm(form: KeyForm, sample: unknown): KeyMetadata {
  const limits = Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const limit = form.limits[name];
      return limit === undefined ? [] : [[name, limit]];
    }),
  ) as KeyLimits; // names and values of limits
  const states = form.states.map(({ value, name, color }) => ({
    value: stateValue(value, sample),
    name: name.trim(),
    ...(color !== "" && { color }),
  }));
  const { key, decimals, kind, range } = form;
  const { min, max } = range;
  const [name, unit, group] = [form.name.trim(), form.unit.trim(), form.group.trim()];
  return {
    key,
    ...(name !== "" && { name }),
    ...(unit !== "" && { unit }),
    ...(decimals !== undefined && { decimals }),
    ...(kind !== "" && { kind }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(states.length > 0 && { states }),
    ...(group !== "" && { group }),
  };
}

/** Returns the first limit that is not greater than the previous one. */
export function misplacedLimit(limits: KeyLimits): keyof KeyLimits | undefined {
  let last = Number.NEGATIVE_INFINITY;
  return LIMIT_NAMES.find((name) => {
    const limit = limits[name];
    if (limit === undefined) return false;
    const isMisplaced = limit <= last;
    last = limit;
    return isMisplaced;
  });
}

/** Returns the metadata on one line: `°C · 1 decimal · Gauge`. */
export function metadataText(metadata: Omit<KeyMetadata, "key">): string {
  const { unit, decimals, kind, states, group } = metadata;
  const limitTexts = limitsText(metadata);
  return [
    ...(group === undefined ? [] : [group]),
    ...(unit === undefined ? [] : [unitSymbol(unit)]),
    ...(decimals === undefined ? [] : [plural("meta.decimalCount", decimals)]),
    ...(kind === undefined ? [] : [t(`keyKind.${kind}`)]),
    ...(limitTexts === "" ? [] : [limitTexts]),
    ...(states === undefined ? [] : [plural("meta.stateCount", states.length)]),
  ].join(" · ");
}
