import { detail } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";

interface CronField {
  readonly name: Text;
  readonly min: number;
  readonly max: number;
  /** Words for its numbers. */
  readonly words: readonly string[];
  /** What else croner reads in the field. */
  readonly others: RegExp;
}

const none = /(?!)/;
const fields: readonly CronField[] = [
  { name: detail("cron_field.minute"), min: 0, max: 59, words: [], others: none },
  { name: detail("cron_field.hour"), min: 0, max: 23, words: [], others: none },
  { name: detail("cron_field.day"), min: 1, max: 31, words: [], others: /^(L|LW|\d\d?W)$/i },
  {
    name: detail("cron_field.month"),
    min: 1,
    max: 12,
    words: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
    others: none,
  },
  {
    name: detail("cron_field.weekday"),
    min: 0,
    max: 7,
    words: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
    others: /^(L|[0-7]L|[A-Z]{3}L|\w{1,3}#[1-5L])$/i,
  },
];

const NUMBER = /^\d{1,4}$/;

/** The number that a part of a field stands for; undefined for anything else. */
function numberOf(text: string, { words, min }: CronField): number | undefined {
  const word = words.indexOf(text.toUpperCase());
  if (word >= 0) return word + min;
  return NUMBER.test(text) ? Number(text) : undefined;
}

function numberMistake(text: string, field: CronField): Text | undefined {
  const { name, min, max } = field;
  const value = numberOf(text, field);
  if (value === undefined) return detail("rule.cron_word", { field: name, value: excerpt(text) });
  return value < min || value > max ? detail("rule.cron_range", { field: name, value, min, max }) : undefined;
}

function stepMistake(step: string | undefined, field: CronField): Text | undefined {
  if (step === undefined) return undefined;
  const isStep = NUMBER.test(step) && Number(step) >= 1 && Number(step) <= field.max;
  return isStep
    ? undefined
    : detail("rule.cron_step", { field: field.name, value: excerpt(step), max: field.max });
}

function itemMistake(item: string, field: CronField): Text | undefined {
  if (item === "*" || item === "?" || field.others.test(item)) return undefined;
  const [range = "", step, more] = item.split("/");
  if (more !== undefined) return detail("rule.cron_word", { field: field.name, value: excerpt(item) });
  if (range === "*") return stepMistake(step, field);
  const [from = "", to, rest] = range.split("-");
  if (from === "" || to === "" || rest !== undefined)
    return detail("rule.cron_word", { field: field.name, value: excerpt(item) });
  const wrong = numberMistake(from, field) ?? (to === undefined ? undefined : numberMistake(to, field));
  if (wrong !== undefined) return wrong;
  if (to === undefined && step !== undefined)
    return detail("rule.cron_start", { field: field.name, value: excerpt(item), from, max: field.max, step });
  const isBackwards = to !== undefined && (numberOf(from, field) ?? 0) > (numberOf(to, field) ?? 0);
  if (isBackwards)
    return detail("rule.cron_backwards", {
      field: field.name,
      value: item,
      from,
      max: field.max,
      min: field.min,
      to,
    });
  return stepMistake(step, field);
}

/** Returns the mistake in an expression of five fields, in the words of the person who wrote it; undefined if it cannot be told. */
export function cronMistake(expression: string): Text | undefined {
  for (const [index, text] of expression.split(" ").entries()) {
    const field = fields[index];
    if (field === undefined) return undefined;
    for (const item of text.split(",")) {
      const mistake = itemMistake(item, field);
      if (mistake !== undefined) return mistake;
    }
  }
  return undefined;
}
