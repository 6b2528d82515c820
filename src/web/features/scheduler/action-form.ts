// What a job does, as a person enters it.

import { kindOf, parseEditorText, toEditorText, type ValueKind } from "../../lib/attribute-value.ts";
import type { JsonValue } from "../../lib/wire.ts";
import type { JobAction } from "./scheduler-api.ts";

export interface AttributeRow {
  readonly id: number;
  readonly key: string;
  readonly kind: ValueKind;
  readonly text: string;
}

export interface ActionForm {
  readonly type: "attributes" | "command";
  /** Undefined: all devices of `deviceType`. */
  readonly deviceIds: readonly string[] | undefined;
  readonly deviceType: string;
  readonly rows: readonly AttributeRow[];
  readonly method: string;
  readonly params: string;
  readonly retries: number;
}

let lastId = 0;
export const newRow = (key = "", value?: JsonValue): AttributeRow => ({
  id: ++lastId,
  key,
  kind: kindOf(value),
  text: toEditorText(value),
});

/** `present`: the devices of the job that are there; those that were deleted are left out. */
export function actionFormOf(action: JobAction | undefined, present: readonly string[]): ActionForm {
  const { command, attributes, deviceType } = action ?? {};
  const rows = Object.entries(attributes ?? {}).map(([key, value]) => newRow(key, value));
  return {
    type: action?.type ?? "attributes",
    deviceIds: deviceType === undefined ? present : undefined,
    deviceType: deviceType ?? "",
    rows: rows.length === 0 ? [newRow()] : rows,
    method: command?.method ?? "",
    params: JSON.stringify(command?.params ?? {}, null, 2),
    retries: command?.retries ?? 0,
  };
}

/** The action, or what is wrong with the form. `known` is what it came from: fields that the form does not show stay. */
export function actionOf(
  form: ActionForm,
  jobAction?: JobAction,
): { action: JobAction } | { problem: "device" | "type" | "params" | { readonly key: string } } {
  const { deviceIds, deviceType } = form;
  if (deviceIds?.length === 0) return { problem: "device" };
  if (deviceIds === undefined && deviceType === "") return { problem: "type" };
  const targets = deviceIds === undefined ? { deviceType } : { deviceIds };
  if (form.type === "command") {
    const params = form.params.trim() === "" ? {} : parseEditorText(form.params, "json");
    if (params === undefined) return { problem: "params" };
    const { retries, method } = form;
    return {
      action: {
        ...targets,
        type: "command",
        command: { ...jobAction?.command, method: method.trim(), params, retries },
      },
    };
  }
  const entries: [string, JsonValue][] = [];
  for (const { key, kind, text } of form.rows) {
    const value = parseEditorText(text, kind);
    if (value === undefined) return { problem: { key } };
    entries.push([key.trim(), value]);
  }
  return { action: { ...targets, type: "attributes", attributes: Object.fromEntries(entries) } };
}
