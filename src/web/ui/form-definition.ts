import type { JSX } from "preact";
import { bodyOf, type FormValues, fieldAt, type ObjectSchema, withValue } from "../lib/form-schema.ts";
import { textIfAny } from "../platform/i18n/i18n.ts";

/** What a form adds to the schema of a field. */
export interface FormField {
  /** Names of the objects and the field, joined by dots. */
  readonly path: string;
  /** Name of its texts, if it is not the path. */
  readonly text?: string;
  /** Condition under which it is shown, in addition to its variant being selected. */
  readonly when?: (values: FormValues) => boolean;
  /** It is needed with what is selected, though not by its schema. */
  readonly isRequired?: true;
  /** A choice that is made with the text of each option in sight. */
  readonly isRadio?: true;
  /** Lines of a text with several. */
  readonly rows?: number;
  /** What the options of a choice are called, if they have no texts. */
  readonly optionText?: (option: string | number) => string;
  /** Further attributes of the input. */
  readonly input?: Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "label" | "size">;
}

/** A field, or the path of one about which there is nothing to add. */
export type FieldEntry = FormField | string;

/** The fields of a row or a form. */
export const fieldsOfRow = (
  item: FieldEntry | ReadonlyArray<FieldEntry | readonly FieldEntry[]>,
): FormField[] => [item].flat(2).map((field) => (typeof field === "string" ? { path: field } : field));

/**
 * A form: the schema of what it sends, its fields in order, several in a row if they stand beside each other, and the names under which
 * its texts are found (`field.<name>.<path>`, then `common.<path>`).
 */
export interface FormDefinition {
  readonly schema: ObjectSchema;
  readonly texts: readonly string[];
  readonly fields: ReadonlyArray<FieldEntry | readonly FieldEntry[]>;
}

/** A text of a field. That of an option has the option as its last name; a pattern is put in words for whoever breaks it. */
export const textOfField = (
  kind: "field" | "fieldHint" | "fieldOption" | "fieldPattern",
  texts: readonly string[],
  path: string,
): string | undefined =>
  texts.map((name) => textIfAny(`${kind}.${name}.${path}`)).find((text) => text !== undefined) ??
  (kind === "field" ? textIfAny(`common.${path}`) : undefined);

/** Returns whether a field of the form is shown with these values. */
export const isShown = ({ schema }: FormDefinition, { path, when }: FormField, values: FormValues): boolean =>
  fieldAt(schema, path, values) !== undefined && when?.(values) !== false;

/** What a form sends: the values of the fields that are shown, and those that it has no field for. */
export function sentValues(form: FormDefinition, values: FormValues): FormValues {
  const fields = fieldsOfRow(form.fields);
  const shown = fields.filter((field) => isShown(form, field, values)).map(({ path }) => path);
  let kept = values;
  for (const { path } of fields) {
    const [object = ""] = path.split(".");
    if (!shown.some((other) => other.split(".")[0] === object)) kept = withValue(kept, object, undefined);
    else if (!shown.includes(path)) kept = withValue(kept, path, undefined);
  }
  return bodyOf(form.schema, kept);
}
