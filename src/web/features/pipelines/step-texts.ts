import { textIfAny } from "../../platform/i18n/i18n.ts";

interface StepText {
  readonly title: string;
  readonly what: string;
}

/** Returns the name of a field in words. A field without a text is named after the API: `includeContext` becomes "Include context". */
export function fieldName(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return textIfAny(`stepField.${name}`) ?? words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Returns title and purpose of a type; the type itself if it is unknown to this console. */
export const stepText = (type: string, summary = ""): StepText => ({
  title: textIfAny(`pipelineStep.${type}.title`) ?? type,
  what: textIfAny(`pipelineStep.${type}.what`) ?? summary,
});

/** Returns the help of a field by name, or by `type.name` if a name has several meanings. */
export const fieldText = (type: string, name: string, description?: string): string | undefined =>
  textIfAny(`stepFieldHint.${type}.${name}`) ?? textIfAny(`stepFieldHint.${name}`) ?? description;
