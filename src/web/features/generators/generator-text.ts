import type { Text } from "../../../lib/texts/text.ts";
import { ruleText, serverText } from "../../platform/i18n/error-texts.ts";
import { formatCount } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";

/** Problem of a config, in the language of the reader, with its row and field. */
export interface ConfigProblem {
  /** Index of the metric, from 0. */
  readonly row?: number;
  /** Name of the field in the metric or the config. */
  readonly field?: string;
  readonly text: string;
}

/** Texts for rules that name fields of the request, in the words of the form. */
const formRules: Readonly<Record<string, (params: Text["params"]) => string>> = {
  "rule.decimals_range": () => t("generatorProblem.decimals"),
  "rule.device_ids_empty": () => t("generatorProblem.device"),
  "rule.interval_short": () => t("generatorProblem.tooFast"),
  "rule.interval_values": ({ count }) => t("generatorProblem.often", { count: formatCount(Number(count)) }),
  "rule.min_above_max": () => t("generatorProblem.order"),
  "rule.one_value": () => t("generatorProblem.constant"),
  "rule.step_long": () => t("generatorProblem.step"),
};

/** Field for an error about a whole metric. */
const WHOLE_METRIC = "max";

export function configProblem(text: Text): ConfigProblem {
  const { field, rule } = text.params;
  if (typeof field !== "string") return { text: serverText(text) };
  const [, row, name = ""] = /^(?:metrics\[(\d+)\])?\.?(.*)$/.exec(field) ?? [];
  const isRule = typeof rule === "object" && "code" in rule;
  const inForm = isRule && Object.hasOwn(formRules, rule.code) ? formRules[rule.code] : undefined;
  return {
    ...(row !== undefined && { row: Number(row) }),
    field: row !== undefined && name === "" ? WHOLE_METRIC : name,
    text: isRule && inForm !== undefined ? inForm(rule.params) : ruleText(text, field),
  };
}

/** Returns the texts about a field, or about no field. */
export const problemOf = (
  problems: readonly ConfigProblem[],
  field: string | undefined,
): string | undefined =>
  problems
    .filter((problem) => problem.field === field)
    .map(({ text }) => text)
    .join(" ") || undefined;
