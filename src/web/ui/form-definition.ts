import type { ComponentType, JSX } from "preact";
import {
  bodyOf,
  type FieldSchema,
  type FormValues,
  fieldAt,
  type ObjectSchema,
  withValue,
} from "../lib/form-schema.ts";
import { textIfAny } from "../platform/i18n/i18n.ts";

/** Props of a control that a form brings along for a field. */
export interface ControlProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly schema: FieldSchema;
  readonly isDisabled: boolean | undefined;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** All values of the form. */
  readonly values: FormValues;
  readonly setValues: (values: FormValues) => void;
}

/** A field of a form, with what its schema cannot express. */
export interface FormField {
  /** Names of the objects and the field, joined by dots. */
  readonly path: string;
  /** Name of its texts, if it is not the path. */
  readonly text?: string;
  /** Shown only if this is true and its variant is selected. */
  readonly when?: (values: FormValues) => boolean;
  /** Required for the current selection, although optional in the schema. */
  readonly isRequired?: true;
  /** Shows a choice as radio buttons. */
  readonly isRadio?: true;
  /** Visible lines of a multi-line text. */
  readonly rows?: number;
  /** Returns the name of an option, in place of its text in the catalogue. */
  readonly optionText?: (option: string | number) => string;
  /** Draws the field in place of the control of its schema. */
  readonly control?: ComponentType<ControlProps>;
  /** Number of shown units in one unit of the API, such as 0.001 for milliseconds that are shown as seconds. */
  readonly scale?: number;
  /** Additional attributes of the input. */
  readonly input?: Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "label" | "size">;
}

/** A field, or just its path if there is nothing to add. */
export type FieldEntry = FormField | string;

/** The fields of a row or a form. */
export const fieldsOfRow = (
  item: FieldEntry | ReadonlyArray<FieldEntry | readonly FieldEntry[]>,
): FormField[] => [item].flat(2).map((field) => (typeof field === "string" ? { path: field } : field));

/**
 * A form: the schema of its request body, its fields in order (a nested list is a row of fields), and the names under which its texts are
 * found (`field.<name>.<path>`, then `common.<path>`).
 */
export interface FormDefinition {
  readonly schema: ObjectSchema;
  readonly texts: readonly string[];
  readonly fields: ReadonlyArray<FieldEntry | readonly FieldEntry[]>;
  /** Returns the changed values with the values that follow from the change. */
  readonly adjust?: (before: FormValues, after: FormValues) => FormValues;
}

/** Returns a text of a field. For an option, the path ends with the option; `fieldPattern` describes the pattern to people who break it. */
export const textOfField = (
  kind: "field" | "fieldHint" | "fieldOption" | "fieldPattern",
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
