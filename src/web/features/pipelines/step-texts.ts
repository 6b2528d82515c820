import { textIfAny } from "../../platform/i18n/i18n.ts";

interface StepText {
  readonly title: string;
  readonly what: string;
}

/** Returns the name of a field in words; one without a text is named by the API: `includeContext` is "Include context". */
export function fieldName(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return textIfAny(`stepField.${name}`) ?? words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Title and purpose of a type; one that this console does not know yet stands for itself. */
export const stepText = (type: string, summary = ""): StepText => ({
  title: textIfAny(`pipelineStep.${type}.title`) ?? type,
  what: textIfAny(`pipelineStep.${type}.what`) ?? summary,
});

/** Help for a field by its name, or by `type.name` where a name means different things. */
export const fieldText = (type: string, name: string, description?: string): string | undefined =>
  textIfAny(`stepFieldHint.${type}.${name}`) ?? textIfAny(`stepFieldHint.${name}`) ?? description;
