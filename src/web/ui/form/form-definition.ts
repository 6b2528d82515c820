import type { ComponentType, JSX } from "preact";
import {
  bodyOf,
  type FieldSchema,
  type FormValues,
  fieldAt,
  type ObjectSchema,
  valueAt,
  withValue,
} from "../../lib/form-schema.ts";
import { textIfAny } from "../../platform/i18n/i18n.ts";

/** Props of a control that a form provides for a field. */
export interface ControlProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly schema: FieldSchema;
  readonly isDisabled: boolean | undefined;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly values: FormValues;
  readonly setValues: (values: FormValues) => void;
}

/** A field of a form, with properties that its schema cannot express. */
export interface FormField {
  /** Names of the objects and the field, joined by dots. */
  readonly path: string;
  /** Name of its texts, if it is not the path. */
  readonly text?: string;
  /** Label and hint of a user-defined field, in place of its texts in the catalog. */
  readonly own?: { readonly label: string; readonly hint?: string | undefined };
  /** Shown only if this is true and its variant is selected. */
  readonly when?: (values: FormValues) => boolean;
  /** Keeps its value while it is hidden. */
  readonly keepsHidden?: true;
  /** Required for the current selection, although optional in the schema. */
  readonly isRequired?: true;
  /** Shows a choice as radio buttons. */
  readonly isRadio?: true;
  /** Visible lines of a multi-line text. */
  readonly rows?: number;
  /** Returns the name of an option, in place of its text in the catalog. */
  readonly optionText?: (option: string | number) => string;
  /** Draws the field in place of the control of its schema. */
  readonly control?: ComponentType<ControlProps>;
  /** Shown while the field has no value, in place of the schema's default. */
  readonly default?: string | number;
  /** Number of shown units in one unit of the API, such as 0.001 for milliseconds that are shown as seconds. */
  readonly scale?: number;
  /** Additional attributes of the input. */
  readonly input?: Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "label" | "size">;
}

/** A field, or just its path if there is nothing to add. */
export type FieldEntry = FormField | string;

/** Fields below a title, `fieldGroup.<form>.<group>`. */
export interface FieldGroup {
  readonly group: string;
  readonly fields: Fields;
  readonly when?: (values: FormValues) => boolean;
  /** Makes the group foldable; returns whether it is folded initially, based on the first values. */
  readonly isFolded?: (values: FormValues) => boolean;
  /** A panel of its own on the page. */
  readonly isSection?: true;
  /** Indented, because it belongs to the field before it. */
  readonly isIndented?: true;
}

type Item = FieldEntry | FieldGroup;
/** Fields in order; a nested list is a row. */
export type Fields = ReadonlyArray<Item | readonly Item[]>;

export const isGroup = (item: Item): item is FieldGroup => typeof item === "object" && "group" in item;
export const toField = (field: FieldEntry): FormField =>
  typeof field === "string" ? { path: field } : field;

/** Returns all fields, including those in groups. */
export const fieldsOfForm = (fields: Fields): FormField[] =>
  fields.flatMap((row) =>
    [row]
      .flat()
      .flatMap((item) =>
        isGroup(item)
          ? fieldsOfForm(item.fields).map((field) => ({ ...field, when: both(item.when, field.when) }))
          : [toField(item)],
      ),
  );

type Condition = FormField["when"];
const both =
  (first: Condition, second: Condition): NonNullable<Condition> =>
  (values) =>
    first?.(values) !== false && second?.(values) !== false;

/** A form: the schema of its request body, its fields in order, and the prefix of its texts (`field.<name>.<path>`, then `common.<path>`). */
export interface FormDefinition {
  readonly schema: ObjectSchema;
  readonly texts: readonly string[];
  readonly fields: Fields;
  /** Leaves empty texts and empty objects out instead of sending them. */
  readonly isSparse?: true;
  /** Returns the changed values with the values that follow from the change. */
  readonly adjust?: (before: FormValues, after: FormValues) => FormValues;
}

/**
 * Returns a text of a field. For an option, the path ends with the option; `fieldPattern` describes the pattern to users whose input does not match
 * it.
 */
export const textOfField = (
  kind: "field" | "fieldGroup" | "fieldHint" | "fieldOption" | "fieldPattern",
  texts: readonly string[],
  path: string,
): string | undefined =>
  texts.map((name) => textIfAny(`${kind}.${name}.${path}`)).find((text) => text !== undefined) ??
  (kind === "field" ? textIfAny(`common.${path.split(".").at(-1)}`) : undefined);

/** Returns whether a field of the form is shown with these values. */
export const isShown = ({ schema }: FormDefinition, { path, when }: FormField, values: FormValues): boolean =>
  fieldAt(schema, path, values) !== undefined && when?.(values) !== false;

/** Returns the values to send: those of visible fields, and those that the form has no field for. */
export function sentValues(form: FormDefinition, values: FormValues): FormValues {
  const fields = fieldsOfForm(form.fields);
  const shown = fields.filter((field) => isShown(form, field, values)).map(({ path }) => path);
  let kept = values;
  for (const { path, keepsHidden } of fields) {
    if (keepsHidden) continue;
    const [object = ""] = path.split(".");
    if (!shown.some((other) => other.split(".")[0] === object)) kept = withValue(kept, object, undefined);
    else if (!shown.includes(path)) kept = withValue(kept, path, undefined);
  }
  const body = bodyOf(form.schema, kept);
  return form.isSparse ? withoutEmpty(body, fields) : body;
}

/** Leaves out empty texts of the fields, and objects without other values. */
function withoutEmpty(body: FormValues, fields: readonly FormField[]): FormValues {
  let rest = body;
  for (const { path } of fields) {
    if (valueAt(rest, path) === "") rest = withValue(rest, path, undefined);
    const names = path.split(".");
    for (let depth = names.length - 1; depth > 0; depth--) {
      const object = names.slice(0, depth).join(".");
      const inner = valueAt(rest, object);
      if (typeof inner === "object" && inner !== null && Object.keys(inner).length === 0)
        rest = withValue(rest, object, undefined);
    }
  }
  return rest;
}
